import type { Caller, DailyQuota } from '../accounts/account.ts';
import type { Clock } from '../domain/clock.ts';
import { DropError } from '../domain/errors.ts';
import { dayOf, timeWindowOf } from '../domain/time-windows.ts';
import { Attempts } from './attempts.ts';
import {
  type Cap,
  type Limit,
  type LimitNumbers,
  limitTable,
  maximumOf,
  type VisitorLimit,
} from './limit-table.ts';
import type { Quota, RateLimiter } from './rate-limiter.ts';
import type { Visitor } from './visitor.ts';

/** Caps do not reset, so clients wait long before they retry: a day. */
const capRetrySeconds = 86_400;

/** The limit of a network is this many times the limit of an address. */
const networkLimitFactor = 10;

interface LimitsDeps {
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly config: LimitNumbers;
}

/** What an account may do in a minute and in a day, and how often a secret may be guessed. Spec section 8. */
export class Limits {
  readonly #limiter: RateLimiter;
  readonly #clock: Clock;
  readonly #config: LimitNumbers;

  /** What is counted only if it fails, such as a wrong passcode, or if it is done, such as a report. Each waits for its own kind. */
  readonly attempts: Readonly<Record<'passcode' | 'code' | 'key' | 'report' | 'comment', Attempts>>;

  constructor({ limiter, clock, config }: LimitsDeps) {
    this.#limiter = limiter;
    this.#clock = clock;
    this.#config = config;
    this.attempts = {
      passcode: this.#attemptsOf(limitTable.passcode),
      code: this.#attemptsOf(limitTable.signInCode),
      key: this.#attemptsOf(limitTable.signInKey),
      report: this.#attemptsOf(limitTable.report),
      comment: this.#attemptsOf(limitTable.commentOfGuest),
    };
  }

  /**
   * @param id what is counted apart: mostly `countsAs` of an account, so that the next account of a person who deletes one
   * continues its counts @throws DropError `rate_limited`, or the code of the limit
   */
  async take(limit: Limit, id: string): Promise<void> {
    const window = timeWindowOf(this.#clock.now(), limit.windowMs);
    const full = await this.#limiter.take([this.quotaOf(limit, id)], window);
    if (full !== null) throw limitReached(limit, full.limit, window.retryAfterSeconds);
  }

  /** For attempts. @param id what is counted apart: an account, an address, a drop */
  quotaOf(limit: Limit, id: string): Quota {
    return { key: `${limit.key}:${id}`, limit: maximumOf(limit, this.#config) };
  }

  /** The network comes first: once used up, its addresses are not counted. IPv4 has one quota. */
  quotasOf(limit: VisitorLimit, { address, network }: Visitor): Quota[] {
    const ofAddress = this.quotaOf(limit, address);
    if (network === address) return [ofAddress];
    const ofNetwork = {
      key: `${limit.networkKey}:${network}`,
      limit: ofAddress.limit * networkLimitFactor,
    };
    return [ofNetwork, ofAddress];
  }

  /** What a write of the caller counts for (DropStore). */
  dailyQuotaOf({ accountId }: Caller): DailyQuota {
    return {
      accountId,
      day: dayOf(this.#clock.now()).id,
      limit: maximumOf(limitTable.writeOfDay, this.#config),
    };
  }

  /** @throws DropError `invalid_token` if the account was deleted meanwhile: it has no writes either */
  async dailyQuotaExceeded(caller: Caller): Promise<DropError> {
    await caller.confirm();
    const { limit } = this.dailyQuotaOf(caller);
    return limitReached(limitTable.writeOfDay, limit, dayOf(this.#clock.now()).retryAfterSeconds);
  }

  /** @param limit of those that are counted together: they have one window and one message */
  #attemptsOf(limit: Limit): Attempts {
    const deps = { limiter: this.#limiter, clock: this.#clock };
    return new Attempts(deps, limit.windowMs, (usedUp, window) =>
      limitReached(limit, usedUp.limit, window.retryAfterSeconds),
    );
  }
}

/** @param config has the setting of the cap, if its maximum is one */
export function capReached<Setting extends string>(
  cap: Cap<Setting>,
  config: Readonly<Record<Setting, number>>,
): DropError {
  const maximum = maximumOf(cap, config);
  const details = { limit: maximum, retry_after_seconds: capRetrySeconds };
  return new DropError(cap.code ?? 'quota_exceeded', cap.refusal(maximum), details);
}

function limitReached(limit: Limit, maximum: number, retryAfterSeconds: number): DropError {
  const details = { limit: maximum, retry_after_seconds: retryAfterSeconds };
  return new DropError(limit.code ?? 'rate_limited', limit.refusal(maximum), details);
}

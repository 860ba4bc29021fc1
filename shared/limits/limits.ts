import type { Caller, DailyQuota } from '../accounts/account.ts';
import type { Clock } from '../domain/clock.ts';
import { type Code, DropError } from '../domain/errors.ts';
import { attemptWindowMs, dayOf, minuteMs, timeWindowOf } from '../domain/time-windows.ts';
import { type Attempts, createAttempts } from './attempts.ts';
import { type Limit, type LimitName, type LimitNumbers, limitTable } from './limit-table.ts';
import type { Quota, RateLimiter } from './rate-limiter.ts';
import { quotaOf, type Visitor } from './visitor.ts';

/** Caps of drops and versions do not reset, so clients wait long before they retry: a day. */
const capRetrySeconds = 86_400;

const hourMs = 3_600_000;
const wrongAttempts = 'Too many wrong attempts.';

export type Limits = ReturnType<typeof createLimits>;

/** What an account may do in a minute and in a day, and how often a secret may be guessed. Spec section 8. */
export function createLimits(deps: { limiter: RateLimiter; clock: Clock; config: LimitNumbers }) {
  const { limiter, clock, config } = deps;

  /** @throws DropError `rate_limited`, or that code */
  async function takeOne(
    quota: Quota,
    windowMs: number,
    message: string,
    code: Code = 'rate_limited',
  ): Promise<void> {
    const window = timeWindowOf(clock.now(), windowMs);
    const full = await limiter.take([quota], window);
    if (full !== null) throw tooMany(code, message, full.limit, window.retryAfterSeconds);
  }

  const attempts = (windowMs: number, message: string): Attempts =>
    createAttempts({ limiter, clock }, windowMs, ({ limit }, { retryAfterSeconds }) =>
      tooMany('rate_limited', message, limit, retryAfterSeconds),
    );

  return {
    /**
     * @param id what is counted apart: mostly `countsAs` of an account, so that the next account of a person who deletes one
     * continues its counts @throws DropError `rate_limited`, for a token `quota_exceeded`
     */
    take(name: LimitName, id: string): Promise<void> {
      const { windowMs, maximum, refusal, code }: Limit = limitTable[name];
      const most = maximum(config);
      return takeOne(quotaOf(name, id, most), windowMs, refusal(most), code);
    },

    /**
     * Counts the start of a sign-in for the network alone: each start is a record that is kept for a day, and a network of IPv6
     * has 65,536 addresses as limits count them.
     */
    takeSignInStart({ network }: Pick<Visitor, 'network'>): Promise<void> {
      const limit = config.SIGN_IN_STARTS_PER_MINUTE;
      const message = `At most ${limit} sign-ins a minute from one network.`;
      return takeOne(quotaOf('sign-in', network, limit), minuteMs, message);
    },

    /** What a write of the caller counts for (DropStore). */
    dailyQuotaOf: ({ accountId }: Caller): DailyQuota => ({
      accountId,
      day: dayOf(clock.now()).id,
      limit: config.WRITES_PER_DAY,
    }),

    /** @throws DropError `invalid_token` if the account was deleted meanwhile: it has no writes either */
    async dailyQuotaExceeded(caller: Caller): Promise<DropError> {
      await caller.confirm();
      const limit = config.WRITES_PER_DAY;
      const { retryAfterSeconds } = dayOf(clock.now());
      return tooMany('daily_quota_exceeded', `At most ${limit} writes a day.`, limit, retryAfterSeconds);
    },

    /** What is counted only if it fails, such as a wrong passcode, or if it is done, such as a report. */
    attempts: {
      passcode: attempts(attemptWindowMs, wrongAttempts),
      code: attempts(attemptWindowMs, wrongAttempts),
      key: attempts(attemptWindowMs, wrongAttempts),
      report: attempts(hourMs, 'Too many reports.'),
      comment: attempts(hourMs, 'Too many comments.'),
    },
  };
}

/** @param limit the number of drops that an account may have */
export function quotaExceeded(limit: number): DropError {
  return capReached(`The account has the maximum of ${limit} drops: delete one first.`, limit);
}

export function capReached(message: string, limit: number): DropError {
  return tooMany('quota_exceeded', message, limit, capRetrySeconds);
}

/** @param limit the number of versions that a drop may have */
export function versionLimitReached(limit: number): DropError {
  const message = `The drop has the maximum of ${limit} versions: delete one first.`;
  return tooMany('version_limit_reached', message, limit, capRetrySeconds);
}

function tooMany(code: Code, message: string, limit: number, retryAfterSeconds: number): DropError {
  return new DropError(code, message, { limit, retry_after_seconds: retryAfterSeconds });
}

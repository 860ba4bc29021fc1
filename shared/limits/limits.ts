import type { Caller, DailyQuota } from '../accounts/account.ts';
import type { Clock } from '../domain/clock.ts';
import { type Code, DropError } from '../domain/errors.ts';
import { attemptWindowMs, dayOf, minuteMs, windowOf } from '../domain/windows.ts';
import { type Attempts, createAttempts } from './attempts.ts';
import type { Quota, RateLimiter } from './rate-limiter.ts';
import { type LimitName, networkLimitFactor, quotaOf, quotasOf, type Visitor } from './visitor.ts';

/** Time does not end the caps of drops and versions, so clients are told to wait long: a day. */
const capRetrySeconds = 86_400;

/** Each may hold a context, which takes no place of the day or of the account until the document comes. */
const maxUploads = 100;
/** Repeats of an upload that is done: a client that got no answer repeats it a few times; others may have seen its address. */
const maxUploadRepeats = 10;

const hourMs = 3_600_000;
const wrongAttempts = 'Too many wrong attempts.';

interface LimitNumbers {
  readonly WRITES_PER_MINUTE: number;
  readonly WRITES_PER_DAY: number;
  readonly CHANGES_PER_MINUTE: number;
  readonly SIGN_IN_STARTS_PER_MINUTE: number;
  readonly SIGN_INS_PER_ACCOUNT: number;
}

export type Limits = ReturnType<typeof createLimits>;

/** What an account may do in a minute and in a day, and how often a secret may be guessed. Spec section 8. */
export function createLimits(deps: { limiter: RateLimiter; clock: Clock; config: LimitNumbers }) {
  const { limiter, clock, config } = deps;

  /** @throws DropError `rate_limited` */
  async function take(quotas: readonly Quota[], windowMs: number, message: string): Promise<void> {
    const window = windowOf(clock.now(), windowMs);
    const full = await limiter.take(quotas, window);
    if (full !== null) throw tooMany('rate_limited', message, full.limit, window.retryAfterSeconds);
  }

  const takeMinute =
    (name: LimitName, limit: number, what: string) =>
    ({ accountId }: Caller): Promise<void> =>
      take([quotaOf(name, accountId, limit)], minuteMs, `At most ${limit} ${what} a minute.`);

  const takeTenMinutes =
    (name: LimitName, limit: number, message: string) =>
    (id: string): Promise<void> =>
      take([quotaOf(name, id, limit)], attemptWindowMs, message);

  const attempts = (windowMs: number, message: string): Attempts =>
    createAttempts({ limiter, clock }, windowMs, ({ limit }, { retryAfterSeconds }) =>
      tooMany('rate_limited', message, limit, retryAfterSeconds),
    );

  const repeats = 'repeats of finished writes';
  const usedAddress = `This address was used. At most ${maxUploadRepeats} repeats in 10 minutes.`;
  const reviews = config.SIGN_INS_PER_ACCOUNT;

  return {
    /** Counts a POST or PUT of a drop when it arrives. */
    takeWrite: takeMinute('write', config.WRITES_PER_MINUTE, 'writes'),

    /** Counts a repeat of a write that is done, which is no write. */
    takeRepeat: takeMinute('repeat', config.WRITES_PER_MINUTE, repeats),

    /** Counts any other change. */
    takeChange: takeMinute('change', config.CHANGES_PER_MINUTE, 'changes'),

    /** Counts an account's request for an upload address, which is also a change. */
    takeUpload: takeTenMinutes('upload', maxUploads, `At most ${maxUploads} uploads in 10 minutes.`),

    /** Counts a PUT to the address of an upload that is done, by the hash of its secret. */
    takeUploadRepeat: takeTenMinutes('upload-repeat', maxUploadRepeats, usedAddress),

    /**
     * Counts a sign-in that an account approves, denies or begins. The limit is per account: somebody who guesses codes may
     * have many addresses, but few accounts.
     */
    takeSignIn: takeTenMinutes(
      'sign-in-of',
      reviews,
      `At most ${reviews} sign-ins of one account in 10 minutes.`,
    ),

    /** Counts the start of a sign-in for the address and its network. */
    takeSignInStart(visitor: Visitor): Promise<void> {
      const limit = config.SIGN_IN_STARTS_PER_MINUTE;
      const message = `At most ${limit} sign-ins a minute from one address, and ${limit * networkLimitFactor} from one network.`;
      return take(quotasOf('sign-in', visitor, limit), minuteMs, message);
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
    },
  };
}

/** @param limit the number of drops that an account may have */
export function quotaExceeded(limit: number): DropError {
  const message = `The account has the maximum of ${limit} drops: delete one first.`;
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

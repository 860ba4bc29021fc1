import type { Caller, DailyQuota } from '../domain/account.ts';
import { type Code, DropError } from '../domain/errors.ts';
import { networkLimitFactor, quotasOf, type Visitor } from '../domain/visitor.ts';
import { attemptWindowMs, dayOf, minuteMs, type Window, windowOf } from '../domain/windows.ts';
import type { Clock } from '../ports/clock.ts';
import type { Quota, RateLimiter } from '../ports/rate-limiter.ts';
import { type Attempts, createAttempts } from './attempts.ts';

/** Time does not end the caps of drops and versions, so clients are told to wait long: a day. */
const capRetrySeconds = 86_400;

/** Each may hold a context, which takes no place of the day or of the account until the document comes. */
const maxUploads = 100;
/** Of one that is done. Whoever has seen its address may repeat it; a client that got no answer repeats it a few times. */
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

  async function take(quotas: readonly Quota[], window: Window, message: string): Promise<void> {
    const full = await limiter.take(quotas, window);
    if (full !== null) throw tooMany('rate_limited', message, full.limit, window.retryAfterSeconds);
  }

  function takeMinute(kind: string, { accountId }: Caller, limit: number, what: string): Promise<void> {
    const window = windowOf(clock.now(), minuteMs);
    return take([{ key: `${kind}:${accountId}`, limit }], window, `At most ${limit} ${what} a minute.`);
  }

  const attempts = (windowMs: number, message: string): Attempts =>
    createAttempts({ limiter, clock }, windowMs, ({ limit }, { retryAfterSeconds }) =>
      tooMany('rate_limited', message, limit, retryAfterSeconds),
    );

  return {
    /** Counts a POST or PUT of a drop when it arrives. @throws DropError `rate_limited` */
    takeWrite: (caller: Caller) => takeMinute('write', caller, config.WRITES_PER_MINUTE, 'writes'),

    /** Counts a repeat of a write that is done, which is no write. @throws DropError `rate_limited` */
    takeRepeat: (caller: Caller) =>
      takeMinute('repeat', caller, config.WRITES_PER_MINUTE, 'repeats of finished writes'),

    /** Counts a PUT to the address of an upload that is done. @throws DropError `rate_limited` */
    takeUploadRepeat(uploadHash: string): Promise<void> {
      const message = `This address was used. At most ${maxUploadRepeats} repeats in 10 minutes.`;
      const quotas = [{ key: `upload-repeat:${uploadHash}`, limit: maxUploadRepeats }];
      return take(quotas, windowOf(clock.now(), attemptWindowMs), message);
    },

    /** Counts any other change. @throws DropError `rate_limited` */
    takeChange: (caller: Caller) => takeMinute('change', caller, config.CHANGES_PER_MINUTE, 'changes'),

    /** Counts a request for an upload address, which is also a change. @throws DropError `rate_limited` */
    takeUpload({ accountId }: Caller): Promise<void> {
      const message = `At most ${maxUploads} uploads in 10 minutes.`;
      return take(
        [{ key: `upload:${accountId}`, limit: maxUploads }],
        windowOf(clock.now(), attemptWindowMs),
        message,
      );
    },

    /** Counts the start of a sign-in for the address and its network. @throws DropError `rate_limited` */
    takeSignInStart(visitor: Visitor): Promise<void> {
      const limit = config.SIGN_IN_STARTS_PER_MINUTE;
      const message = `At most ${limit} sign-ins a minute from one address, and ${limit * networkLimitFactor} from one network.`;
      return take(quotasOf('sign-in', visitor, limit), windowOf(clock.now(), minuteMs), message);
    },

    /**
     * Counts a sign-in that an account reviews. The limit is per account: somebody who guesses codes may have many
     * addresses, but few accounts.
     * @throws DropError `rate_limited`
     */
    takeReview(accountId: string): Promise<void> {
      const limit = config.SIGN_INS_PER_ACCOUNT;
      const message = `At most ${limit} sign-ins of one account in 10 minutes.`;
      return take([{ key: `decision:${accountId}`, limit }], windowOf(clock.now(), attemptWindowMs), message);
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

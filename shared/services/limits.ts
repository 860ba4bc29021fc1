import type { Caller } from '../domain/account.ts';
import { type Code, DropError } from '../domain/errors.ts';
import { addressesOfNetwork, triesFrom, type Visitor } from '../domain/visitor.ts';
import { dayOf, minuteMs, minuteOf, tryWindowMs, type Window, windowOf } from '../domain/windows.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';

/** No window opens these: they end when the owner deletes something. */
const aDay = 86_400;

/** How often a secret may be tried, counted by a key. */
interface Try {
  readonly key: string;
  readonly limit: number;
}

interface LimitNumbers {
  readonly WRITES_PER_MINUTE: number;
  readonly WRITES_PER_DAY: number;
  readonly CHANGES_PER_MINUTE: number;
  readonly SIGN_IN_STARTS_PER_MINUTE: number;
  readonly SIGN_INS_PER_ACCOUNT: number;
}

export type Limits = ReturnType<typeof createLimits>;

/** What an account may do in a minute and a day, and how often anybody may guess. Spec section 8. */
export function createLimits(deps: {
  limiter: RateLimiter;
  accounts: Pick<AccountStore, 'takeDailyWrite' | 'returnDailyWrite'>;
  clock: Clock;
  log: Log;
  config: LimitNumbers;
}) {
  const { limiter, accounts, clock, log, config } = deps;

  async function takeOf(window: Window, key: string, limit: number, message: string): Promise<void> {
    if (await limiter.take(key, limit, window)) return;
    throw tooMany('rate_limited', message, limit, window.retryAfterSeconds);
  }

  function takeMinute(kind: string, key: string, limit: number, what: string): Promise<void> {
    return takeOf(minuteOf(clock.now()), `${kind}:${key}`, limit, `At most ${limit} ${what} a minute.`);
  }

  /**
   * Reserves one try of a secret before it is checked, so that parallel guesses cannot pass the limit.
   * The answer gives the try back and never fails: only wrong ones count.
   * @param tries each a key with how often it may be wrong within `windowMs`; all must have a try left, and where one
   * has none, none is counted
   * @throws DropError `rate_limited`
   */
  async function takeTry(
    tries: readonly Try[],
    windowMs: number,
    message = 'Too many wrong tries.',
  ): Promise<() => Promise<void>> {
    const window = windowOf(clock.now(), windowMs);
    const taken: string[] = [];
    const giveBack = async () => {
      for (const outcome of await Promise.allSettled(taken.map((key) => limiter.giveBack(key, window)))) {
        if (outcome.status === 'rejected') log.warn({ err: outcome.reason }, 'a try could not be given back');
      }
    };
    try {
      for (const { key, limit } of tries) {
        await takeOf(window, key, limit, message);
        taken.push(key);
      }
    } catch (error) {
      await giveBack();
      throw error;
    }
    return giveBack;
  }

  return {
    /** Counts a POST or PUT of a drop, as it arrives. @throws DropError `rate_limited` */
    takeWrite: (caller: Caller) => takeMinute('write', caller.accountId, config.WRITES_PER_MINUTE, 'writes'),

    /** Counts any other change. @throws DropError `rate_limited` */
    takeChange: (caller: Caller) =>
      takeMinute('change', caller.accountId, config.CHANGES_PER_MINUTE, 'changes'),

    /** Counts a sign-in that is started from an address, and for its network. @throws DropError `rate_limited` */
    async takeSignInStart(visitor: Visitor): Promise<void> {
      const limit = config.SIGN_IN_STARTS_PER_MINUTE;
      const message = `At most ${limit} sign-ins a minute from one address, and ${limit * addressesOfNetwork} from one network.`;
      await takeTry(triesFrom('sign-in', visitor, limit), minuteMs, message);
    },

    /**
     * Counts a code that somebody comes to decide on. Who guesses codes has few accounts, whatever their addresses.
     * @throws DropError `rate_limited`
     */
    takeDecision(accountId: string): Promise<void> {
      const window = windowOf(clock.now(), tryWindowMs);
      const limit = config.SIGN_INS_PER_ACCOUNT;
      const message = `At most ${limit} sign-ins of one account in ten minutes.`;
      return takeOf(window, `decision:${accountId}`, limit, message);
    },

    /**
     * Counts a write of the caller's UTC day; the answer gives it back (a cap refused the write after all).
     * @throws DropError `daily_quota_exceeded`
     */
    async takeDay(caller: Caller): Promise<() => Promise<void>> {
      const day = dayOf(clock.now());
      if (await accounts.takeDailyWrite(caller.accountId, day.id, config.WRITES_PER_DAY)) {
        return () => accounts.returnDailyWrite(caller.accountId, day.id);
      }
      const limit = config.WRITES_PER_DAY;
      throw tooMany('daily_quota_exceeded', `At most ${limit} writes a day.`, limit, day.retryAfterSeconds);
    },

    takeTry,
  };
}

/** @param limit the account's number of drops */
export function quotaExceeded(limit: number): DropError {
  return tooMany('quota_exceeded', `The account has ${limit} drops: delete one first.`, limit, aDay);
}

/** @param limit the drop's number of versions */
export function versionLimitReached(limit: number): DropError {
  return tooMany('version_limit_reached', `The drop has ${limit} versions: delete one first.`, limit, aDay);
}

function tooMany(code: Code, message: string, limit: number, retryAfterSeconds: number): DropError {
  return new DropError(code, message, { limit, retry_after_seconds: retryAfterSeconds });
}

import type { Account, Identity } from '../domain/account.ts';

/** Accounts: one for each identity of an identity provider (spec 5.3). */
export interface AccountStore {
  /**
   * The identity's account, made with `id` and `now` where there is none yet; the provider's newest name is kept.
   * Atomic: parallel first sign-ins of one identity get the same account.
   */
  findOrCreate(identity: Identity, id: string, now: number): Promise<Account>;

  /** null: no such account. */
  find(id: string): Promise<Account | null>;

  /** Accounts of that name, however its ASCII letters are written, oldest first: providers do not share names. */
  findByName(name: string): Promise<Account[]>;

  /**
   * Suspends the account from `at` on, or ends its suspension with null. An account that is suspended already keeps
   * its time. null: no such account.
   */
  setSuspended(id: string, at: number | null): Promise<Account | null>;

  /**
   * Counts one write of the account's day unless `limit` is reached; false when it is (spec 8, writes per day).
   * Atomic: parallel calls never pass the limit.
   * @param day the UTC date, `2026-01-31`; a new one starts at 0, and one that is past counts to the newer one
   */
  takeDailyWrite(id: string, day: string, limit: number): Promise<boolean>;

  /** Gives back one counted write of that day: the write was refused after all. Nothing if the day is over. */
  returnDailyWrite(id: string, day: string): Promise<void>;
}

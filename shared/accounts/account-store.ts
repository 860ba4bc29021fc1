import type { Account, Identity } from './account.ts';

/** Accounts, one per identity (spec 5.3). Unless it says otherwise, a method ignores deleted accounts. */
export interface AccountStore {
  /** The account of the identity, with its name; created with `id` and `now` if there is none. Atomic. */
  findOrCreate(identity: Identity, id: string, now: number): Promise<Account>;

  /** null: no such account. */
  find(id: string): Promise<Account | null>;

  /** null: the identity has no account. */
  findByIdentity(identity: Pick<Identity, 'provider' | 'subject'>): Promise<Account | null>;

  /** Accounts with that name at any provider, ignoring ASCII case, oldest first. */
  findByName(name: string): Promise<Account[]>;

  /** `at` null: lifts the suspension. A suspended account keeps its time. null: no such account. */
  setSuspended(id: string, at: number | null): Promise<Account | null>;

  /** The writes that DropStore has counted on that UTC day, `2026-01-31`. */
  countDailyWrites(id: string, day: string): Promise<number>;

  /**
   * Marks the account as deleted and removes its identity, in one update: from then on its tokens and sessions are invalid,
   * and the identity gets a new account. false: no such account, or it is suspended.
   */
  markDeleted(id: string, now: number): Promise<boolean>;

  /** When the account was deleted (Unix ms). null: no such account, not deleted, or erased. */
  findDeletedAt(id: string): Promise<number | null>;

  /** Ids of accounts that are deleted and not erased, the longest deleted first, at most `limit`. */
  listDeleted(limit: number): Promise<string[]>;

  /** Removes the record of a deleted account. Call it when nothing refers to the account any more. */
  erase(id: string): Promise<void>;
}

import type { Access } from '../drops/access.ts';
import type { Account, Identity, Inheritance } from './account.ts';

/** A deleted account in the list of those, and when it was deleted (Unix ms). */
export interface DeletedAccount {
  readonly id: string;
  readonly deletedAt: number;
}

/** Accounts, one per identity (spec 5.3). Unless it says otherwise, a method ignores deleted accounts. */
export interface AccountStore {
  /**
   * The account of the identity, with its name; created with `id` and `now` if there is none. Atomic.
   * @param inherited what a new account continues; null: nothing
   */
  findOrCreate(identity: Identity, id: string, now: number, inherited?: Inheritance | null): Promise<Account>;

  /**
   * What the next account of an identity continues: of the accounts that were deleted with one of these hashes at `since` (Unix
   * ms) or later, the one with the most writes of the latest day, because each has continued the counts of the one before.
   * null: there is none.
   */
  findInheritance(identityHashes: readonly string[], since: number): Promise<Inheritance | null>;

  /** How many accounts of the provider there are, with all deleted ones; `atMost` if there are as many or more. By an index. */
  count(provider: string, atMost: number): Promise<number>;

  /** null: no such account. */
  find(id: string): Promise<Account | null>;

  /** null: the identity has no account. */
  findByIdentity(identity: Pick<Identity, 'provider' | 'subject'>): Promise<Account | null>;

  /** Accounts with that name at any provider, ignoring ASCII case, oldest first. */
  findByName(name: string): Promise<Account[]>;

  /**
   * Replaces the identity that is the account's own, in one update. false: no such account, or another one has that identity.
   */
  setIdentity(id: string, identity: Identity): Promise<boolean>;

  /** `at` null: lifts the suspension. A suspended account keeps its time. null: no such account. */
  setSuspended(id: string, at: number | null): Promise<Account | null>;

  /** Notes how far the owner has looked at the comments (`commentsSeen`), in one update: the number never becomes lower. */
  noteCommentsSeen(id: string, seq: number): Promise<void>;

  /** Who may read a new drop of the account (`defaultAccess`). @param access null: as the service has it. false: no such account */
  setDefaultAccess(id: string, access: Access | null): Promise<boolean>;

  /** The writes that DropStore has counted on that UTC day, `2026-01-31`. */
  countDailyWrites(id: string, day: string): Promise<number>;

  /**
   * Marks the account as deleted and removes its identity, in one update: from then on its tokens and sessions are invalid,
   * and the identity gets a new account. false: no such account, or it is suspended. @param identityHashes what stays of its
   * identities, for `findInheritance`
   */
  markDeleted(id: string, now: number, identityHashes: readonly string[]): Promise<boolean>;

  /** When the account was deleted (Unix ms). null: no such account, not deleted, or erased. */
  findDeletedAt(id: string): Promise<number | null>;

  /** Accounts that are deleted and not erased, the longest deleted first. @param after the last one of the list before; null: from the first */
  listDeleted(limit: number, after: DeletedAccount | null): Promise<DeletedAccount[]>;

  /** Removes the record of a deleted account. Call it when nothing refers to the account any more. */
  erase(id: string): Promise<void>;
}

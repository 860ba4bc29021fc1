import { id, listOfTexts, orAbsent, type RecordOf, record, text, time } from '../domain/record.ts';

/** One of the ways by which an account signs in, and what its provider said the last time. */
export const identityRecord = record(
  'identities',
  {
    provider: text(),
    subject: text(),
    accountId: id(),
    /** The person's name at the provider, for pages. */
    name: text(),
    /** Verified, in lower case; null: none. */
    email: orAbsent(text()),
    /** The exact names of the groups that the person is in. */
    groups: listOfTexts(),
    /** Sealed; null: the provider gave none. */
    refreshToken: orAbsent(text()),
    /** When the provider was asked, Unix ms: at the last sign-in or check. */
    checkedAt: time(),
    createdAt: time(),
  },
  ['provider', 'subject'],
);

export type StoredIdentity = RecordOf<typeof identityRecord>;

export type IdentityKey = Pick<StoredIdentity, 'provider' | 'subject'>;

/** What a provider says of a person, which may change. */
export type NotedClaims = Pick<StoredIdentity, 'name' | 'email' | 'groups' | 'refreshToken' | 'checkedAt'>;

/**
 * Which account an identity belongs to. An account of a release without this store has no record until its owner signs in again:
 * then its own identity (AccountStore) decides.
 */
export interface IdentityStore {
  /** null: no record. */
  find(key: IdentityKey): Promise<StoredIdentity | null>;

  /** The first is the oldest. By an index. */
  listOfAccount(accountId: string): Promise<StoredIdentity[]>;

  /** Stores the record unless there is one with this key. Atomic: of parallel calls one stores. @returns the stored one */
  claim(identity: StoredIdentity): Promise<StoredIdentity>;

  /** Gives the identity of one account to another, as the first one was deleted. false: it is not `from`'s. @param from an account's id */
  reassign(identity: StoredIdentity, from: string): Promise<boolean>;

  /**
   * In one update. false: there is no record, it is another account's, or it was checked at another time than `ifCheckedAt`: a
   * sign-in or another check has noted more.
   */
  note(
    key: IdentityKey & { readonly accountId: string },
    claims: NotedClaims,
    ifCheckedAt?: number,
  ): Promise<boolean>;

  /** Those with a refresh token that were checked before that time (Unix ms), the longest ago first. By an index. */
  listToCheck(before: number, limit: number): Promise<StoredIdentity[]>;

  /** false: the account does not have it. */
  remove(key: IdentityKey & { readonly accountId: string }): Promise<boolean>;

  /** Removes at most `limit` records of the account. @returns how many */
  removeSome(accountId: string, limit: number): Promise<number>;
}

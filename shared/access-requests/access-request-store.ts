import { id, orAbsent, type RecordOf, record, slug, time } from '../domain/record.ts';

/** Somebody who is signed in asks the owner of a drop to be named. */
export const accessRequestRecord = record(
  'access_requests',
  {
    dropId: id(),
    slug: slug(),
    ownerId: id(),
    /** Who asks. */
    accountId: id(),
    createdAt: time(),
    /** When the owner said no, Unix ms; null: not answered. */
    declinedAt: orAbsent(time()),
  },
  ['dropId', 'accountId'],
);

export type AccessRequest = RecordOf<typeof accessRequestRecord>;

export type AccessRequestKey = Pick<AccessRequest, 'dropId' | 'accountId'>;

/**
 * Requests for access, one for each person and drop. One that the owner has declined stays as long as the drop, so that nobody asks
 * twice; one that is granted is removed.
 */
export interface AccessRequestStore {
  /**
   * Stores the request unless there is one with this key, declined or not (`known`). `full`: the drop has `cap` requests; parallel
   * calls never leave more, and of those for the last place all may be refused.
   */
  insert(request: Omit<AccessRequest, 'declinedAt'>, cap: number): Promise<'inserted' | 'known' | 'full'>;

  /** null: there is none. */
  find(key: AccessRequestKey): Promise<AccessRequest | null>;

  /** Those of an owner that are not answered, the newest first. By an index. */
  listOpen(ownerId: string, limit: number): Promise<AccessRequest[]>;

  /** How many of those there are; `atMost` if there are as many or more. By an index. */
  countOpen(ownerId: string, atMost: number): Promise<number>;

  /** All of a drop, declined ones too. By an index. */
  listOfDrop(dropId: string): Promise<AccessRequest[]>;

  /** false: there is no such request of this owner's drops, or it is declined already. */
  decline(key: AccessRequestKey & { readonly ownerId: string }, now: number): Promise<boolean>;

  remove(key: AccessRequestKey): Promise<void>;

  /** Removes what the drops have. */
  removeOfDrops(dropIds: readonly string[]): Promise<void>;

  /** Removes at most `limit` requests that the account has made. @returns how many */
  removeSome(accountId: string, limit: number): Promise<number>;
}

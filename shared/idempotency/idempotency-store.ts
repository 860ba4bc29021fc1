import { flag, id, type RecordOf, record, sha256, slug, text, time } from '../domain/record.ts';

const idempotencyFields = {
  accountId: id(),
  /** A digest of the client's key. */
  key: sha256(),
  /** The hash of the request. The same key with another hash is an error of the client. */
  hash: sha256(),
  /** See `WriteIds`. */
  dropId: id(),
  slug: slug(),
  versionId: id(),
  /** Identifies the last attempt. */
  lease: text(),
  /** Unix ms. Until then no other attempt begins. */
  leasedUntil: time(),
  /** Whether the write is known to be done. */
  isDone: flag(),
  createdAt: time(),
};

/** A write that a client may repeat under its key for 24 h. All attempts use the same ids, so they have one outcome. */
export const idempotencyRecord = record('idempotency_keys', idempotencyFields, ['accountId', 'key']);

export type IdempotencyRecord = RecordOf<typeof idempotencyRecord>;

/** Records of writes with an Idempotency-Key, by account and key. Which attempt may begin is decided in idempotency/idempotency.ts. */
export interface IdempotencyStore {
  /** null: no such record. It may have been created before the time from which on records are kept. */
  find(accountId: string, key: string): Promise<IdempotencyRecord | null>;

  /** Stores the record. Atomic. false: there is one of that account and key, which stays. */
  insert(record: IdempotencyRecord): Promise<boolean>;

  /**
   * Stores `to` in place of `from`, a record of the same account and key. Atomic. false, and nothing is changed, if another
   * attempt has begun since `from` was read (`lease`), the write became known to be done, or the record is gone.
   */
  replace(from: IdempotencyRecord, to: IdempotencyRecord): Promise<boolean>;

  /** Marks the write of this version as done, whichever attempt did it. Does nothing if the record is not there. */
  finish(record: IdempotencyRecord): Promise<void>;

  /** Deletes the record, unless another attempt has begun. */
  remove(record: IdempotencyRecord): Promise<void>;

  /** Deletes all records that were created before that time (Unix ms). */
  removeCreatedBefore(time: number): Promise<void>;
}

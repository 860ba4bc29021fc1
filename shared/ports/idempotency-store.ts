import type { WriteIds } from '../domain/drop.ts';

/**
 * A write that a client may repeat under a key of its own, for 24 h. Every attempt writes with the same ids, so that all
 * attempts together have one outcome.
 */
export interface IdempotencyRecord extends Omit<WriteIds, 'isRepeat'> {
  readonly accountId: string;
  /** Of the client's key, or a digest of it. */
  readonly key: string;
  /** Of the request. The same key with another hash is an error of the client. */
  readonly hash: string;
  /** Identifies the last attempt. */
  readonly lease: string;
  /** Unix ms. Until then no other attempt begins. */
  readonly leasedUntil: number;
  /** Whether the write is known to be done. */
  readonly isDone: boolean;
  /** Unix ms. */
  readonly createdAt: number;
}

/**
 * `started`: there was no record, and now this is it. `taken over`: the last attempt of the same request has lost its
 * lease, and its outcome is unknown; the record has the new lease and the ids of the first attempt. `found`: nothing
 * changed, because the record is done, leased, or has another hash.
 */
export interface Beginning {
  readonly outcome: 'started' | 'taken over' | 'found';
  /** As it is stored now. */
  readonly record: IdempotencyRecord;
}

/** Records of writes with an Idempotency-Key, by account and key. */
export interface IdempotencyStore {
  /** null: no such record. It may have been created before the time from which on records are kept. */
  find(accountId: string, key: string): Promise<IdempotencyRecord | null>;

  /**
   * Begins an attempt. Atomic: of parallel calls one begins, the others find its record. A repeat with the same lease
   * changes nothing.
   * @param fresh the record to store if there is none, or only one that was created before `keptSince`
   * @param now Unix ms: leases until then have ended
   */
  begin(fresh: IdempotencyRecord, now: number, keptSince: number): Promise<Beginning>;

  /** Marks the write of this version as done, whichever attempt did it. Does nothing if the record is not there. */
  finish(record: IdempotencyRecord): Promise<void>;

  /** Ends the lease of the record's attempt, so that the next one may begin. Does nothing if another attempt has begun. */
  release(record: IdempotencyRecord, now: number): Promise<void>;

  /** Deletes the record, unless another attempt has begun. */
  remove(record: IdempotencyRecord): Promise<void>;

  /** Deletes all records that were created before that time (Unix ms). */
  removeCreatedBefore(time: number): Promise<void>;
}

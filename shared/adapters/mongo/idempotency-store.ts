import { type Connection, Schema } from 'mongoose';
import { unavailable } from '../../domain/errors.ts';
import type { Beginning, IdempotencyRecord, IdempotencyStore } from '../../ports/idempotency-store.ts';
import { answerMs } from './connection.ts';
import { isDuplicateOf, withTimeLimit } from './errors.ts';

/** Each lost attempt means that a parallel call changed the record of the same key. */
const attempts = 20;

export interface IdempotencyDocument {
  /** The account's id, a space, and the key. */
  readonly _id: string;
  readonly account_id: string;
  readonly key: string;
  readonly hash: string;
  readonly drop_id: string;
  readonly slug: string;
  readonly version_id: string;
  readonly lease: string;
  readonly leased_until: number;
  readonly is_done: boolean;
  readonly created_at: number;
}

const schema = new Schema<IdempotencyDocument>(
  {
    _id: String,
    account_id: String,
    key: String,
    hash: String,
    drop_id: String,
    slug: String,
    version_id: String,
    lease: String,
    leased_until: Number,
    is_done: Boolean,
    created_at: Number,
  },
  { collection: 'idempotency_keys', versionKey: false, autoIndex: false, autoCreate: false },
);
schema.index({ created_at: 1 }, { name: 'idempotency_keys_created' });

export function idempotencyModel(connection: Connection) {
  return connection.model('IdempotencyKey', schema);
}

export function createMongoIdempotencyStore(connection: Connection): IdempotencyStore {
  const keys = idempotencyModel(connection);

  /** false: there is a record already. */
  async function insert(fresh: IdempotencyRecord): Promise<boolean> {
    try {
      await keys.insertOne(idempotencyDocument(fresh));
      return true;
    } catch (error) {
      if (!isDuplicateOf(error, '_id_')) throw error;
      return false;
    }
  }

  /** Changes the record if no other attempt has begun. @returns whether it did */
  async function change(
    stored: IdempotencyRecord,
    filter: Partial<IdempotencyDocument>,
    to: Partial<IdempotencyDocument>,
  ): Promise<boolean> {
    const unchanged = { _id: idOf(stored), lease: stored.lease, ...filter };
    return (await keys.updateOne(unchanged, { $set: to })).matchedCount > 0;
  }

  /** undefined: a parallel call changed the record. */
  async function tryToBegin(
    fresh: IdempotencyRecord,
    now: number,
    keptSince: number,
  ): Promise<Beginning | undefined> {
    if (await insert(fresh)) return { outcome: 'started', record: fresh };
    const found = await keys.findById(idOf(fresh)).lean();
    if (found === null) return undefined;
    const stored = toRecord(found);
    if (stored.lease === fresh.lease) return { outcome: 'started', record: stored };
    if (stored.createdAt < keptSince) {
      const { _id, ...fields } = idempotencyDocument(fresh);
      const isReplaced = await change(stored, { created_at: stored.createdAt }, fields);
      return isReplaced ? { outcome: 'started', record: fresh } : undefined;
    }
    if (stored.isDone || stored.hash !== fresh.hash || stored.leasedUntil > now)
      return { outcome: 'found', record: stored };
    const { lease, leasedUntil } = fresh;
    const isTaken = await change(stored, { is_done: false }, { lease, leased_until: leasedUntil });
    return isTaken ? { outcome: 'taken over', record: { ...stored, lease, leasedUntil } } : undefined;
  }

  return withTimeLimit<IdempotencyStore>(answerMs(connection), {
    async find(accountId, key) {
      const found = await keys.findById(idOf({ accountId, key })).lean();
      return found === null ? null : toRecord(found);
    },

    async begin(fresh, now, keptSince) {
      for (let left = attempts; left > 0; left--) {
        const beginning = await tryToBegin(fresh, now, keptSince);
        if (beginning !== undefined) return beginning;
      }
      throw unavailable('Too many parallel requests with the same Idempotency-Key.');
    },

    async finish(record) {
      const filter = { _id: idOf(record), version_id: record.versionId };
      await keys.updateOne(filter, { $set: { is_done: true } });
    },

    async release(record, now) {
      await change(record, {}, { leased_until: now });
    },

    async remove(record) {
      await keys.deleteMany({ _id: idOf(record), lease: record.lease });
    },

    async removeCreatedBefore(time) {
      await keys.deleteMany({ created_at: { $lt: time } });
    },
  });
}

function idOf({ accountId, key }: Pick<IdempotencyRecord, 'accountId' | 'key'>): string {
  return `${accountId} ${key}`;
}

export function idempotencyDocument(record: IdempotencyRecord): IdempotencyDocument {
  return {
    _id: idOf(record),
    account_id: record.accountId,
    key: record.key,
    hash: record.hash,
    drop_id: record.dropId,
    slug: record.slug,
    version_id: record.versionId,
    lease: record.lease,
    leased_until: record.leasedUntil,
    is_done: record.isDone,
    created_at: record.createdAt,
  };
}

function toRecord(found: IdempotencyDocument): IdempotencyRecord {
  return {
    accountId: found.account_id,
    key: found.key,
    hash: found.hash,
    dropId: found.drop_id,
    slug: found.slug,
    versionId: found.version_id,
    lease: found.lease,
    leasedUntil: found.leased_until,
    isDone: found.is_done,
    createdAt: found.created_at,
  };
}

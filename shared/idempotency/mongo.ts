import type { Connection } from 'mongoose';
import { keyOf } from '../domain/record.ts';
import { collectionOf, insertUnlessTaken } from '../mongo/collection.ts';
import { forRequests } from '../mongo/errors.ts';
import { type IdempotencyStore, idempotencyRecord } from './idempotency-store.ts';

const idempotencyCollection = collectionOf(idempotencyRecord, [
  'idempotency_keys_created',
  { created_at: 1 },
]);

export function createMongoIdempotencyStore(connection: Connection): IdempotencyStore {
  const keys = idempotencyCollection.in(connection);
  const { toDocument, orNull } = idempotencyCollection;

  return forRequests<IdempotencyStore>(connection, {
    async find(accountId, key) {
      return orNull(await keys.findById(keyOf(idempotencyRecord, { accountId, key })).lean());
    },

    insert: (record) => insertUnlessTaken(keys, toDocument(record), '_id_'),

    async replace({ lease, isDone }, to) {
      const { _id, ...fields } = toDocument(to);
      const { matchedCount } = await keys.updateOne({ _id, lease, is_done: isDone }, { $set: fields });
      return matchedCount > 0;
    },

    async finish(record) {
      const filter = { _id: keyOf(idempotencyRecord, record), version_id: record.versionId };
      await keys.updateOne(filter, { $set: { is_done: true } });
    },

    async remove(record) {
      await keys.deleteMany({ _id: keyOf(idempotencyRecord, record), lease: record.lease });
    },

    async removeCreatedBefore(time) {
      await keys.deleteMany({ created_at: { $lt: time } });
    },
  });
}

import type { Connection } from 'mongoose';
import { keyOf } from '../domain/record.ts';
import { collectionOf } from '../mongo/collection.ts';
import { forRequests } from '../mongo/errors.ts';
import { type IdempotencyStore, idempotencyRecord } from './idempotency-store.ts';

const idempotencyCollection = collectionOf(idempotencyRecord, [
  'idempotency_keys_created',
  { created_at: 1 },
]);

export function createMongoIdempotencyStore(connection: Connection): IdempotencyStore {
  const keys = idempotencyCollection.in(connection);

  return {
    ...forRequests<Omit<IdempotencyStore, 'removeCreatedBefore'>>(connection, {
      find: (accountId, key) => keys.find({ _id: keyOf(idempotencyRecord, { accountId, key }) }),

      insert: (record) => keys.insertUnlessTaken(record, '_id_'),

      replace({ lease, isDone }, to) {
        const { _id, ...fields } = idempotencyCollection.toDocument(to);
        return keys.update({ _id, lease, is_done: isDone }, { $set: fields });
      },

      async finish(record) {
        const filter = { _id: keyOf(idempotencyRecord, record), version_id: record.versionId };
        await keys.update(filter, { $set: { is_done: true } });
      },

      async remove(record) {
        await keys.remove({ _id: keyOf(idempotencyRecord, record), lease: record.lease });
      },
    }),

    removeCreatedBefore: keys.removalBefore('created_at'),
  };
}

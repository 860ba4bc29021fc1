import type { Connection } from 'mongoose';
import { collectionOf } from '../mongo/collection.ts';
import { forRequests } from '../mongo/errors.ts';
import { type UploadStore, uploadRecord } from './upload-store.ts';

const collection = collectionOf(uploadRecord, ['uploads_end', { expires_at: 1 }]);

export function createMongoUploadStore(connection: Connection): UploadStore {
  const uploads = collection.in(connection);
  return forRequests<UploadStore>(connection, {
    async insert(upload) {
      await uploads.create(collection.toDocument(upload));
    },

    async find(hash) {
      return collection.orNull(await uploads.findById(hash).lean());
    },

    async removeExpiredBefore(time) {
      await uploads.deleteMany({ expires_at: { $lt: time } });
    },
  });
}

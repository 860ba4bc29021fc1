import type { Connection } from 'mongoose';
import { collectionOf } from '../mongo/collection.ts';
import { answerMs } from '../mongo/connection.ts';
import { withTimeLimit } from '../mongo/errors.ts';
import { type UploadStore, uploadRecord } from './upload-store.ts';

const collection = collectionOf(uploadRecord, ['uploads_end', { expires_at: 1 }]);

export function createMongoUploadStore(connection: Connection): UploadStore {
  const uploads = collection.in(connection);
  return withTimeLimit<UploadStore>(answerMs(connection), {
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

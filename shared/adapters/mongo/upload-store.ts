import type { Connection } from 'mongoose';
import { type UploadStore, uploadRecord } from '../../ports/upload-store.ts';
import { collectionOf } from './collection.ts';
import { answerMs } from './connection.ts';
import { withTimeLimit } from './errors.ts';

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

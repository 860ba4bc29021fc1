import type { Connection } from 'mongoose';
import { collectionOf } from '../mongo/collection.ts';
import { forRequests } from '../mongo/errors.ts';
import { type UploadStore, uploadRecord } from './upload-store.ts';

const collection = collectionOf(uploadRecord, ['uploads_end', { expires_at: 1 }]);

export function createMongoUploadStore(connection: Connection): UploadStore {
  const uploads = collection.in(connection);
  return {
    ...forRequests<Omit<UploadStore, 'removeExpiredBefore'>>(connection, {
      insert: (upload) => uploads.insert(upload),

      find: (hash) => uploads.find({ _id: hash }),
    }),

    removeExpiredBefore: uploads.removalBefore('expires_at'),
  };
}

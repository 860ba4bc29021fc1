import type { Connection } from 'mongoose';
import { collectionOf } from '../mongo/collection.ts';
import { type Upload, type UploadStore, uploadRecord } from './upload-store.ts';

const collection = collectionOf(uploadRecord, ['uploads_end', { expires_at: 1 }]);

/** Uploads by the hash of their secret, which is the id of the document. `mongo/stores.ts` sets the time limits of the calls. */
export class MongoUploads implements UploadStore {
  readonly #uploads;

  constructor(connection: Connection) {
    this.#uploads = collection.in(connection);
  }

  insert(upload: Upload): Promise<void> {
    return this.#uploads.insert(upload);
  }

  find(hash: string): Promise<Upload | null> {
    return this.#uploads.find({ _id: hash });
  }

  removeExpiredBefore(time: number): Promise<void> {
    return this.#uploads.removeBefore('expires_at', time);
  }
}

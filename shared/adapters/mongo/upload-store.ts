import { type Connection, Schema } from 'mongoose';
import type { UploadStore } from '../../ports/upload-store.ts';
import { answerMs } from './connection.ts';
import { withTimeLimit } from './errors.ts';

interface UploadDocument {
  /** The hash of the secret. */
  readonly _id: string;
  readonly token_hash: string;
  readonly request: string;
  readonly expires_at: number;
}

const schema = new Schema<UploadDocument>(
  { _id: String, token_hash: String, request: String, expires_at: Number },
  { collection: 'uploads', versionKey: false, autoIndex: false, autoCreate: false },
);
schema.index({ expires_at: 1 }, { name: 'uploads_end' });

export function uploadModel(connection: Connection) {
  return connection.model('Upload', schema);
}

export function createMongoUploadStore(connection: Connection): UploadStore {
  const uploads = uploadModel(connection);
  return withTimeLimit<UploadStore>(answerMs(connection), {
    async insert({ hash, tokenHash, request, expiresAt }) {
      await uploads.insertOne({ _id: hash, token_hash: tokenHash, request, expires_at: expiresAt });
    },

    async find(hash) {
      const found = await uploads.findById(hash).lean();
      if (found === null) return null;
      return { hash, tokenHash: found.token_hash, request: found.request, expiresAt: found.expires_at };
    },

    async removeExpiredBefore(time) {
      await uploads.deleteMany({ expires_at: { $lt: time } });
    },
  });
}

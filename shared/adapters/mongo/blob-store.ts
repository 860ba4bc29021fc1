import { type Connection, type mongo, Schema } from 'mongoose';
import type { BlobStore } from '../../ports/blob-store.ts';
import { answerMs, backgroundMs } from './connection.ts';
import { isDuplicateOf, withTimeLimit } from './errors.ts';
import { openGridBucket } from './grid-bucket.ts';

const idsPerDelete = 500;

interface ContextDocument {
  readonly _id: string;
  readonly bytes: Uint8Array;
}

const schema = new Schema<ContextDocument>(
  { _id: String, bytes: Buffer },
  { collection: 'contexts', versionKey: false, autoIndex: false, autoCreate: false },
);

export function contextModel(connection: Connection) {
  return connection.model('Context', schema);
}

/** Documents of up to HTML_MAX_BYTES, in the GridFS bucket `html`. */
export function createMongoHtmlStore(connection: Connection): BlobStore {
  const { put, get, delete: remove, listIds } = openGridBucket(connection, 'html');
  return {
    ...withTimeLimit(answerMs(connection), { put, get }),
    ...withTimeLimit(backgroundMs, { delete: remove, listIds }),
  };
}

/** A context has at most 1 MiB (CONTEXT_MAX_BYTES), so it is one document: one read, where GridFS needs two. */
export function createMongoContextStore(connection: Connection): BlobStore {
  const contexts = contextModel(connection);

  const forRequests = withTimeLimit<Pick<BlobStore, 'put' | 'get'>>(answerMs(connection), {
    async put(id, bytes) {
      try {
        await contexts.create({ _id: id, bytes: Buffer.from(bytes) });
      } catch (error) {
        if (!isDuplicateOf(error, '_id_')) throw error; // an id always has the same bytes
      }
    },

    async get(id) {
      const found = await contexts.findById(id).lean();
      return found === null ? null : (found.bytes as unknown as mongo.Binary).value(); // proof: lean returns BSON
    },
  });
  const forJobs = withTimeLimit<Pick<BlobStore, 'delete' | 'listIds'>>(backgroundMs, {
    async delete(ids) {
      for (let from = 0; from < ids.length; from += idsPerDelete) {
        await contexts.deleteMany({ _id: { $in: ids.slice(from, from + idsPerDelete) } });
      }
    },

    async listIds(after, below, limit) {
      const range = { _id: { $gt: after, $lt: below } };
      const found = await contexts.find(range, { _id: 1 }).sort({ _id: 1 }).limit(limit).lean();
      return found.map(({ _id }) => _id);
    },
  });
  return { ...forRequests, ...forJobs };
}

import { type Connection, type mongo, Schema } from 'mongoose';
import type { BlobStore } from '../../ports/blob-store.ts';
import { answerMs, backgroundMs } from './connection.ts';
import { isDuplicateOf, withTimeLimit } from './errors.ts';

const idsAtOnce = 500;

interface ContextDocument {
  readonly _id: string;
  readonly bytes: Uint8Array;
}

const schema = new Schema<ContextDocument>(
  { _id: { type: String, required: true }, bytes: { type: Buffer } }, // `required` would refuse an empty one
  { collection: 'contexts', versionKey: false, autoIndex: false, autoCreate: false },
);

/** Of that connection; the same one at every call. */
export function contextModel(connection: Connection) {
  return connection.model('Context', schema);
}

/** Contexts are at most 64 KB, so each is one document: one read, where a file of GridFS takes two. */
export function createMongoContextStore(connection: Connection): BlobStore {
  const contexts = contextModel(connection);

  const reading = withTimeLimit(answerMs(connection), {
    async put(id: string, bytes: Uint8Array) {
      try {
        await contexts.create({ _id: id, bytes: Buffer.from(bytes) });
      } catch (error) {
        if (!isDuplicateOf(error, '_id_')) throw error; // there already: an id always has the same bytes
      }
    },

    async get(id: string) {
      const found = await contexts.findById(id).lean();
      return found === null ? null : (found.bytes as unknown as mongo.Binary).value(); // proof: lean gives BSON's own
    },
  });
  const sweeping = withTimeLimit(backgroundMs, {
    async delete(ids: readonly string[]) {
      for (let from = 0; from < ids.length; from += idsAtOnce) {
        await contexts.deleteMany({ _id: { $in: ids.slice(from, from + idsAtOnce) } });
      }
    },

    async listIds(after: string, below: string, limit: number) {
      const found = await contexts
        .find({ _id: { $gt: after, $lt: below } }, { _id: 1 })
        .sort({ _id: 1 })
        .limit(limit)
        .lean();
      return found.map(({ _id }) => _id);
    },
  });
  return { ...reading, ...sweeping };
}

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import mongoose, { type Connection } from 'mongoose';
import { isDuplicateOf } from './errors.ts';
import { distinctIds, type ListIds, mergedIds } from './id-pages.ts';
import { pathsUnder } from './paths.ts';

const maxChunkBytes = 1024 * 1024;
/** Files of megabytes: what is deleted by one command must be gone before its time is up. */
const idsAtOnce = 50;

/** https://www.mongodb.com/docs/manual/core/gridfs/: the parts of both collections that are used here. */
interface FileDocument {
  readonly _id: string;
  readonly length: number;
  readonly chunkSize: number;
  readonly uploadDate: Date;
  readonly filename: string;
}

interface ChunkDocument {
  readonly files_id: string;
  readonly n: number;
  readonly data: Uint8Array;
}

/**
 * A GridFS bucket of immutable files under ids of ours. A file is there from the moment its record is, which is
 * written after its chunks and removed before them. Its indexes are made by the migration.
 */
export function openGridBucket(connection: Connection, bucketName: string) {
  if (connection.db === undefined) throw new Error('The connection to MongoDB is not open yet');
  const bucket = new mongoose.mongo.GridFSBucket(connection.db, { bucketName });
  const files = connection.db.collection<FileDocument>(`${bucketName}.files`);
  const chunks = connection.db.collection<ChunkDocument>(`${bucketName}.chunks`);

  /** Writes what is missing: an attempt before, with the same id and bytes, is dead or still goes on. */
  async function complete(id: string, bytes: Uint8Array): Promise<void> {
    const chunkSize = chunkSizeOf(bytes);
    for (let n = 0; n * chunkSize < bytes.byteLength; n++) {
      const data = bytes.subarray(n * chunkSize, (n + 1) * chunkSize);
      await unlessThere(chunks.updateOne({ files_id: id, n }, { $setOnInsert: { data } }, { upsert: true }));
    }
    const record = { length: bytes.byteLength, chunkSize, uploadDate: new Date(), filename: id };
    await unlessThere(files.updateOne({ _id: id }, { $setOnInsert: record }, { upsert: true }));
  }

  const listFiles: ListIds = async (after, below, limit) => {
    const range = { _id: { $gt: after, $lt: below } };
    const found = await files
      .find(range, { projection: { _id: 1 } })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
    return found.map(({ _id }) => _id);
  };

  /** The chunks of a file follow each other. */
  const listChunks: ListIds = async (after, below, limit) => {
    const range = { files_id: { $gt: after, $lt: below } };
    const projection = { _id: 0, files_id: 1 };
    const found = await chunks.find(range, { projection }).sort({ files_id: 1, n: 1 }).limit(limit).toArray();
    return found.map(({ files_id }) => files_id);
  };

  return {
    /** Whole or absent. A repeat with the same id and bytes is no fault, also beside this one. */
    async put(id: string, bytes: Uint8Array): Promise<void> {
      const upload = bucket.openUploadStreamWithId(asGridId(id), id, { chunkSizeBytes: chunkSizeOf(bytes) });
      try {
        await pipeline(Readable.from([bytes]), upload);
      } catch (error) {
        if (!isAlreadyThere(error)) throw error;
        await complete(id, bytes);
      }
    },

    /** null: none, or its removal is under way. */
    async get(id: string): Promise<Uint8Array | null> {
      const parts: Uint8Array[] = [];
      try {
        for await (const part of bucket.openDownloadStream(asGridId(id))) parts.push(part);
      } catch (error) {
        if (isAbsent(error)) return null;
        throw error;
      }
      return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
    },

    /** Unknown ids are no error. */
    async delete(ids: readonly string[]): Promise<void> {
      for (let from = 0; from < ids.length; from += idsAtOnce) {
        const slice = ids.slice(from, from + idsAtOnce);
        await files.deleteMany({ _id: { $in: slice } });
        await chunks.deleteMany({ files_id: { $in: slice } });
      }
    },

    /** All files whose ids begin with one of the roots and `/`. */
    async deleteUnder(roots: readonly string[]): Promise<void> {
      if (roots.length === 0) return;
      const ranges = roots.map(pathsUnder);
      await files.deleteMany({ $or: ranges.map((_id) => ({ _id })) });
      await chunks.deleteMany({ $or: ranges.map((files_id) => ({ files_id })) });
    },

    /** Of whole files, and of those that were never finished, or whose removal was cut short. */
    listIds: mergedIds([listFiles, distinctIds(listChunks)]),
  };
}

/** The driver sets a whole chunk aside for each upload, so a small file gets a small one. */
function chunkSizeOf(bytes: Uint8Array): number {
  return Math.min(Math.max(bytes.byteLength, 1), maxChunkBytes);
}

/** The driver's types know ObjectIds only. */
function asGridId(id: string): mongoose.mongo.ObjectId {
  return id as unknown as mongoose.mongo.ObjectId; // proof: the GridFS specification lets `_id` be of any type
}

function isAbsent(error: unknown): boolean {
  if (error instanceof mongoose.mongo.MongoGridFSChunkError) return true;
  return error instanceof mongoose.mongo.MongoRuntimeError && 'code' in error && error.code === 'ENOENT';
}

function isAlreadyThere(error: unknown): boolean {
  return isDuplicateOf(error, '_id_') || isDuplicateOf(error, 'files_id_1_n_1');
}

/** An upsert that loses against another one has nothing left to do. */
async function unlessThere(upsert: Promise<unknown>): Promise<void> {
  try {
    await upsert;
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
  }
}

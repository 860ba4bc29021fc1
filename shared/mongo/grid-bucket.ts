import type { Connection, mongo } from 'mongoose';
import type { BlobStore } from '../blobs/blob-store.ts';
import { type ListIds, listTexts } from './collection.ts';
import { isDuplicateOf } from './errors.ts';

const maxChunkBytes = 1024 * 1024;
/** Files have megabytes, and a delete has a time limit. */
const idsPerDelete = 50;

/** The used fields of https://www.mongodb.com/docs/manual/core/gridfs/ */
interface FileDocument {
  readonly _id: string;
  readonly length: number;
  readonly chunkSize: number;
  readonly uploadDate: Date;
  readonly filename: string;
}

interface ChunkDocument {
  /** `<file>/<n>`, because two unique indexes would deadlock in DocumentDB. Earlier releases gave ObjectIds. */
  readonly _id: string | mongo.ObjectId;
  readonly files_id: string;
  readonly n: number;
  readonly data: Uint8Array;
}

export interface NewFile {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/**
 * A GridFS bucket of immutable files. The record of a file is written after its chunks and removed before them.
 * `mongo/stores.ts` sets the time limits of its calls.
 */
export class GridBucket implements BlobStore {
  readonly #files;
  readonly #chunks;
  /** Ids of files, and of chunks without a file, which an interrupted upload or removal left behind. */
  readonly listIds: ListIds;

  constructor(connection: Connection, bucketName: string) {
    const files = `${bucketName}.files`;
    const chunks = `${bucketName}.chunks`;
    this.#files = connection.collection<FileDocument>(files);
    this.#chunks = connection.collection<ChunkDocument>(chunks);
    this.listIds = mergedIds(
      listTexts(connection, files),
      distinctIds(listTexts(connection, chunks, 'files_id', { files_id: 1, n: 1 })),
    );
  }

  /** May be repeated, also in parallel. Without the driver's upload stream, which copies the bytes. */
  put(id: string, bytes: Uint8Array): Promise<void> {
    return this.putMany([{ id, bytes }]);
  }

  /** Like `put`, for many files. */
  async putMany(all: readonly NewFile[]): Promise<void> {
    const uploadDate = new Date();
    const records = all.map(({ id, bytes: { byteLength: length } }) => {
      const chunkSize = Math.min(Math.max(length, 1), maxChunkBytes);
      return { _id: id, length, chunkSize, uploadDate, filename: id };
    });
    const parts = all.flatMap(splitFile);
    if (parts.length > 0) await unlessThere(this.#chunks.insertMany(parts, { ordered: false }));
    await unlessThere(this.#files.insertMany(records, { ordered: false }));
  }

  /** null: no such file, or its removal has begun. A single chunk that is not full is the whole file. */
  async get(id: string): Promise<Uint8Array | null> {
    const parts = await this.#chunks.find({ files_id: id }, { promoteBuffers: true }).toArray();
    const [first] = parts;
    if (parts.length === 1 && first?.n === 0 && first.data.byteLength < maxChunkBytes) return first.data;
    const file = await this.#files.findOne({ _id: id }, { projection: { length: 1 } });
    const bytes = joinChunks(parts);
    return file?.length === bytes.byteLength ? bytes : null;
  }

  /** The files that exist, by id, of which all together fit into memory. */
  async getMany(ids: readonly string[]): Promise<Map<string, Uint8Array>> {
    const found = await this.#files.find({ _id: { $in: [...ids] } }, { projection: { length: 1 } }).toArray();
    const parts = await this.#chunks
      .find({ files_id: { $in: [...ids] } }, { promoteBuffers: true })
      .toArray();
    const all = found.map(({ _id, length }) => {
      const bytes = joinChunks(parts.filter(({ files_id }) => files_id === _id));
      return { id: _id, bytes, isWhole: bytes.byteLength === length };
    });
    return new Map(all.filter(({ isWhole }) => isWhole).map(({ id, bytes }) => [id, bytes]));
  }

  async delete(ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += idsPerDelete) {
      const slice = ids.slice(from, from + idsPerDelete);
      await this.#files.deleteMany({ _id: { $in: slice } });
      await this.#chunks.deleteMany({ files_id: { $in: slice } });
    }
  }
}

function splitFile({ id, bytes }: NewFile): ChunkDocument[] {
  return Array.from({ length: Math.ceil(bytes.byteLength / maxChunkBytes) }, (_, n) => {
    const data = bytes.subarray(n * maxChunkBytes, (n + 1) * maxChunkBytes);
    return { _id: `${id}/${n}`, files_id: id, n, data };
  });
}

/** The bytes of the chunks of one file, in any order. */
function joinChunks(parts: readonly ChunkDocument[]): Uint8Array {
  return Buffer.concat([...parts].sort((a, b) => a.n - b.n).map(({ data }) => data));
}

/** Ignores that documents are there already: an id always has the same bytes. */
async function unlessThere(insert: Promise<unknown>): Promise<void> {
  try {
    await insert;
  } catch (error) {
    if (!isDuplicateOf(error, '_id_', 'files_id_1_n_1')) throw error;
  }
}

/** The union of ids. `others` are read only up to the first source's last id: DocumentDB sorts the whole range first. */
export function mergedIds(first: ListIds, others: ListIds): ListIds {
  return async (after, below, limit) => {
    const ids = await first(after, below, limit);
    const last = ids.length < limit ? undefined : ids.at(-1);
    const end = last === undefined ? below : `${last}0`; // behind the keys of `last`, whether they are ids or continue with `/`
    const all = new Set([...ids, ...(await others(after, end, limit))]);
    return [...all].sort().slice(0, limit); // ids are ASCII: all servers order them like this
  };
}

/** The distinct ids of rows. @param behind a key behind those of the id and before those of the next id */
export function distinctIds(
  listRows: ListIds,
  idOf: (key: string) => string = (key) => key,
  behind: (id: string) => string = (id) => id,
): ListIds {
  return async (after, below, limit) => {
    const ids = new Set<string>();
    let last = after;
    while (ids.size < limit) {
      const keys = await listRows(last === '' ? '' : behind(last), below, limit);
      for (const key of keys) if (ids.size < limit) ids.add(idOf(key));
      if (keys.length < limit) break;
      last = [...ids].at(-1) ?? '';
    }
    return [...ids];
  };
}

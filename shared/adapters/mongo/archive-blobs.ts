import type { Connection, mongo } from 'mongoose';
import type { ArchiveBlobs, ArchiveSnapshot, ArchiveStore } from '../../ports/archive-store.ts';
import { inBatches } from '../../util/in-batches.ts';
import { contextModel } from './blob-store.ts';
import { isDuplicateOf } from './errors.ts';
import { type NewFile, openGridBucket } from './grid-bucket.ts';
import { patiently } from './patience.ts';

/** Blobs of one command: one after the other, the commands would take most of the time. */
const blobsPerCommand = 64;

interface Batches {
  putMany(files: readonly NewFile[]): Promise<void>;
  getMany(ids: readonly string[]): Promise<Map<string, Uint8Array>>;
}

/** Reads and writes of blobs for archives; calls of one turn of the event loop share their commands. */
export function openArchiveBlobs(
  connection: Connection,
): Pick<ArchiveSnapshot, 'readBlob'> & Pick<ArchiveStore, 'writeBlob'> {
  const batches: Record<ArchiveBlobs, Batches> = {
    html: openGridBucket(connection, 'html'),
    contexts: openContexts(connection),
  };

  function collect({ putMany, getMany }: Batches) {
    return {
      read: inBatches(blobsPerCommand, async (ids: readonly string[]) => {
        const found = await patiently(() => getMany(ids));
        return ids.map((id) => found.get(id) ?? null);
      }),
      write: inBatches(blobsPerCommand, async (files: readonly NewFile[]) => {
        await patiently(() => putMany(files));
        return files.map(() => undefined);
      }),
    };
  }

  const calls = { html: collect(batches.html), contexts: collect(batches.contexts) };
  return {
    readBlob: (blobs, versionId) => calls[blobs].read(versionId),
    writeBlob: (blobs, id, bytes) => calls[blobs].write({ id, bytes }),
  };
}

function openContexts(connection: Connection): Batches {
  const contexts = contextModel(connection);
  return {
    async putMany(files) {
      const documents = files.map(({ id, bytes }) => ({ _id: id, bytes: Buffer.from(bytes) }));
      try {
        await contexts.insertMany(documents, { ordered: false });
      } catch (error) {
        if (!isDuplicateOf(error, '_id_')) throw error; // an id always has the same bytes
      }
    },

    async getMany(ids) {
      const found = await contexts.find({ _id: { $in: ids } }).lean();
      const bytesOf = (bytes: unknown) => (bytes as mongo.Binary).value(); // proof: lean returns BSON
      return new Map(found.map(({ _id, bytes }) => [_id, bytesOf(bytes)]));
    },
  };
}

import type { Connection } from 'mongoose';
import type { BlobStore } from '../../ports/blob-store.ts';
import { answerMs, backgroundMs } from './connection.ts';
import { withTimeLimit } from './errors.ts';
import { openGridBucket } from './grid-bucket.ts';

/** Blobs as files of a GridFS bucket. */
export function createMongoBlobStore(connection: Connection, bucketName: 'html'): BlobStore {
  const { put, get, delete: remove, listIds } = openGridBucket(connection, bucketName);
  return {
    ...withTimeLimit(answerMs(connection), { put, get }),
    ...withTimeLimit(backgroundMs, { delete: remove, listIds }),
  };
}

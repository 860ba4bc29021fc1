import type { Database } from './database.ts';

/** Removing a blob of 2 MB, which is overwritten with zeros, stops the event loop for about 10 ms. */
const blobsInSlice = 2;

/**
 * Does the work for each item, a few in a transaction. Not atomic as a whole.
 * @param length how many: as many as the event loop may stand still for
 */
export async function writeInSlices<T>(
  db: Database,
  items: readonly T[],
  work: (item: T) => void,
  length = blobsInSlice,
): Promise<void> {
  for (let from = 0; from < items.length; from += length) {
    await db.write(() => items.slice(from, from + length).forEach(work));
  }
}

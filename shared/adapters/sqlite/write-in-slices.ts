import type { Database } from './database.ts';

/** Removing a large blob takes a while, and the event loop stands still meanwhile. */
const blobsInSlice = 16;

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

import type { Database } from './database.ts';

/** Removing a large blob takes a while, and the event loop stands still meanwhile. */
const sliceLength = 16;

/** Does the work for each id, a few in a transaction. Not atomic as a whole. */
export async function writeInSlices(
  db: Database,
  ids: readonly string[],
  work: (id: string) => void,
): Promise<void> {
  for (let from = 0; from < ids.length; from += sliceLength) {
    await db.write(() => ids.slice(from, from + sliceLength).forEach(work));
  }
}

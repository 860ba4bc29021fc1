/**
 * Does the work for each item, up to `size` at a time, so that their writes can share a transaction. Waits for
 * all of a chunk before it throws: nothing is still being written when the caller has ended.
 */
export async function inChunks<T>(
  items: readonly T[],
  size: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < items.length; from += size) {
    const outcomes = await Promise.allSettled(items.slice(from, from + size).map(work));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }
}

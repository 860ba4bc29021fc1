/**
 * Runs the task for each item, `size` at a time, so that their writes can share a transaction. Before it throws, every
 * task of the chunk has ended.
 */
export async function inChunks<T>(
  items: readonly T[],
  size: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < items.length; from += size) {
    const outcomes = await Promise.allSettled(items.slice(from, from + size).map(task));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }
}

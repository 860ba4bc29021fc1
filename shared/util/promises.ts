/** Waits for `promise`, at most `ms` milliseconds. Cancels nothing. @throws what `promise` rejects with in that time */
export async function waitAtMost(ms: number, promise: Promise<unknown>): Promise<void> {
  await race(ms, promise, (resolve) => resolve(undefined));
}

/** Waits at most `ms`. Cancels nothing. @throws what `promise` rejects with in that time; after it, that of `createError` */
export async function withTimeout<T>(ms: number, promise: Promise<T>, createError: () => Error): Promise<T> {
  return await race<T>(ms, promise, (_, reject) => reject(createError()));
}

type Settle<T> = (resolve: (value: T) => void, reject: (error: Error) => void) => void;

async function race<T>(ms: number, promise: Promise<T>, onTimeout: Settle<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<T>((resolve, reject) => {
    timer = setTimeout(() => onTimeout(resolve, reject), ms);
  });
  try {
    return await Promise.race([promise, timeout]); // handles a later rejection of either, too
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Runs the task for each item, `size` at a time, so that writes share a transaction. Throws once all of a chunk are settled.
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

/** Runs tasks with a concurrency limit, in the order in which they are given. */
export interface Semaphore {
  /** @throws what the task throws */
  take<T>(task: () => Promise<T>): Promise<T>;
  /** How many tasks wait. */
  waiting(): number;
}

export function createSemaphore(concurrency: number): Semaphore {
  const queue: (() => void)[] = [];
  let free = concurrency;
  return {
    async take(task) {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => queue.push(resolve));
      try {
        return await task();
      } finally {
        const next = queue.shift();
        if (next) next();
        else free++;
      }
    },
    waiting: () => queue.length,
  };
}

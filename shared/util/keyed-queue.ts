/** Runs tasks with a concurrency limit for each key. Tasks wait only for earlier ones of their own key. */
export interface KeyedQueue {
  /**
   * @returns undefined if the task never runs, because too many of its key wait
   * @throws what the task throws
   */
  run<T>(key: string, task: () => Promise<T>): Promise<T | undefined>;
}

/** @param atOnce how many tasks of a key run at the same time @param maxWaiting how many more of them may wait */
export function createKeyedQueue(atOnce: number, maxWaiting: number): KeyedQueue {
  /** Keys that have tasks. */
  const queues = new Map<string, { running: number; readonly waiting: (() => void)[] }>();

  return {
    async run(key, task) {
      const queue = queues.get(key) ?? { running: 0, waiting: [] };
      queues.set(key, queue);
      if (queue.running < atOnce) queue.running += 1;
      else if (queue.waiting.length >= maxWaiting) return undefined;
      else await new Promise<void>((resolve) => queue.waiting.push(resolve));
      try {
        return await task();
      } finally {
        const next = queue.waiting.shift(); // it runs in the place of this one
        if (next !== undefined) next();
        else queue.running -= 1;
        if (queue.running === 0) queues.delete(key);
      }
    },
  };
}

interface TasksOfKey {
  running: number;
  /** Each begins a task that waits. */
  readonly waiting: (() => void)[];
}

/** Runs tasks with a concurrency limit for each key. Tasks wait only for earlier ones of their own key. */
export class KeyedQueue {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  /** Keys that have tasks. */
  readonly #queues = new Map<string, TasksOfKey>();

  /** @param atOnce how many tasks of a key run at the same time @param maxWaiting how many more of them may wait */
  constructor(atOnce: number, maxWaiting: number) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
  }

  /** @returns undefined: never run, because too many of its key wait @throws what the task throws */
  async run<T>(key: string, task: () => Promise<T>): Promise<T | undefined> {
    const queue = this.#queues.get(key) ?? { running: 0, waiting: [] };
    this.#queues.set(key, queue);
    if (queue.running < this.#atOnce) queue.running += 1;
    else if (queue.waiting.length >= this.#maxWaiting) return undefined;
    else await new Promise<void>((resolve) => queue.waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = queue.waiting.shift(); // it runs in the place of this one
      if (next !== undefined) next();
      else queue.running -= 1;
      if (queue.running === 0) this.#queues.delete(key);
    }
  }
}

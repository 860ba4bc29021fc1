interface Waiting {
  /** Start tag in virtual time. */
  readonly start: number;
  readonly keys: readonly string[];
  /** The finish tag of each key before this task. */
  readonly finishesBefore: readonly number[];
  readonly resolve: (mayRun: boolean) => void;
}

/**
 * Runs tasks with a concurrency limit and shares it fairly between the keys for which tasks wait.
 * Start-time fair queueing (Goyal, Vin and Cheng 1996) with several keys for a task:
 * start = max(virtual time, last finish of each key), finish = start + 1; the smallest start runs next.
 */
export class FairQueue {
  readonly #concurrency: number;
  readonly #maxWaiting: number;
  /** Sorted by start, then by arrival. */
  readonly #waiting: Waiting[] = [];
  /** The last finish tag of each key. Entries up to the virtual time are deleted, because they delay no task. */
  readonly #finishes = new Map<string, number>();
  #virtualTime = 0;
  #free: number;

  /** @param maxWaiting above it the task with the largest start is dropped */
  constructor(concurrency: number, maxWaiting: number) {
    this.#concurrency = concurrency;
    this.#maxWaiting = maxWaiting;
    this.#free = concurrency;
  }

  /** How many tasks wait. */
  waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Runs the task when its turn comes. @param keys the clients it counts for: it waits for earlier tasks of each of them
   * @returns undefined if it was dropped because too many wait @throws what the task throws
   */
  async run<T>(keys: readonly string[], task: () => Promise<T>): Promise<T | undefined> {
    if (this.#free > 0) {
      this.#free -= 1;
      this.#schedule(keys);
    } else {
      const mayRun = await this.#wait(keys);
      if (!mayRun) return undefined;
    }
    try {
      return await task();
    } finally {
      this.#runNext();
    }
  }

  #schedule(keys: readonly string[]): Pick<Waiting, 'start' | 'finishesBefore'> {
    const finishesBefore = keys.map((key) => Math.max(this.#virtualTime, this.#finishes.get(key) ?? 0));
    const start = Math.max(this.#virtualTime, ...finishesBefore);
    for (const key of keys) this.#finishes.set(key, start + 1);
    return { start, finishesBefore };
  }

  #wait(keys: readonly string[]): Promise<boolean> {
    return new Promise((resolve) => {
      const entry = { ...this.#schedule(keys), keys, resolve };
      const before = this.#waiting.findLastIndex(({ start }) => start <= entry.start);
      this.#waiting.splice(before + 1, 0, entry);
      if (this.#waiting.length > this.#maxWaiting) this.#dropLast();
    });
  }

  /** The last task of the queue is the last task of each of its keys, so their finish tags can be restored. */
  #dropLast(): void {
    const last = this.#waiting.pop();
    if (last === undefined) return;
    for (const [i, key] of last.keys.entries()) this.#finishes.set(key, last.finishesBefore[i] ?? 0);
    last.resolve(false);
  }

  #runNext(): void {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#free += 1;
      if (this.#free === this.#concurrency) this.#finishes.clear();
      return;
    }
    // Virtual time rises by 1 in a whole round of the queue. If it stood still, new keys would always run first.
    this.#virtualTime = Math.max(this.#virtualTime, next.start) + 1 / (this.#waiting.length + 1);
    for (const [key, finish] of this.#finishes) {
      if (finish <= this.#virtualTime) this.#finishes.delete(key);
    }
    next.resolve(true);
  }
}

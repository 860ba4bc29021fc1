import { setImmediate as nextTurn } from 'node:timers/promises';

/** Runs tasks with a concurrency limit and shares it fairly between the keys for which tasks wait. */
export interface FairQueue {
  /**
   * Runs the task when its turn comes. @param keys the clients it counts for: it waits for earlier tasks of each of them
   * @returns undefined if it was dropped because too many wait @throws what the task throws
   */
  run<T>(keys: readonly string[], task: () => Promise<T>): Promise<T | undefined>;

  /** How many tasks wait. */
  waiting(): number;
}

interface Waiting {
  /** Start tag in virtual time. */
  readonly start: number;
  readonly keys: readonly string[];
  /** The finish tag of each key before this task. */
  readonly finishesBefore: readonly number[];
  readonly resolve: (mayRun: boolean) => void;
}

/**
 * Start-time fair queueing (Goyal, Vin and Cheng 1996) with several keys for a task:
 * start = max(virtual time, last finish of each key), finish = start + 1; the smallest start runs next.
 * @param maxWaiting above it the task with the largest start is dropped
 */
export function createFairQueue(concurrency: number, maxWaiting: number): FairQueue {
  /** Sorted by start, then by arrival. */
  const waiting: Waiting[] = [];
  /** The last finish tag of each key. Entries up to the virtual time are deleted, because they delay no task. */
  const finishes = new Map<string, number>();
  let virtualTime = 0;
  let free = concurrency;

  function schedule(keys: readonly string[]): Pick<Waiting, 'start' | 'finishesBefore'> {
    const finishesBefore = keys.map((key) => Math.max(virtualTime, finishes.get(key) ?? 0));
    const start = Math.max(virtualTime, ...finishesBefore);
    for (const key of keys) finishes.set(key, start + 1);
    return { start, finishesBefore };
  }

  function wait(keys: readonly string[]): Promise<boolean> {
    return new Promise((resolve) => {
      const entry = { ...schedule(keys), keys, resolve };
      const before = waiting.findLastIndex(({ start }) => start <= entry.start);
      waiting.splice(before + 1, 0, entry);
      if (waiting.length > maxWaiting) dropLast();
    });
  }

  /** The last task of the queue is the last task of each of its keys, so their finish tags can be restored. */
  function dropLast(): void {
    const last = waiting.pop();
    for (const [i, key] of last?.keys.entries() ?? []) finishes.set(key, last?.finishesBefore[i] ?? 0);
    last?.resolve(false);
  }

  function runNext(): void {
    const next = waiting.shift();
    if (next === undefined) {
      free += 1;
      if (free === concurrency) finishes.clear();
      return;
    }
    // Virtual time rises by 1 in a whole round of the queue. If it stood still, new keys would always run first.
    virtualTime = Math.max(virtualTime, next.start) + 1 / (waiting.length + 1);
    for (const [key, finish] of finishes) if (finish <= virtualTime) finishes.delete(key);
    next.resolve(true);
  }

  return {
    waiting: () => waiting.length,

    async run(keys, task) {
      if (free > 0) {
        free -= 1;
        schedule(keys);
      } else if (!(await wait(keys))) return undefined;
      try {
        return await task();
      } finally {
        runNext();
      }
    },
  };
}

/** Runs tasks with a concurrency limit for each key. Tasks wait only for earlier ones of their own key. */
export interface KeyedQueue {
  /** @returns undefined: never run, because too many of its key wait @throws what the task throws */
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

/** A turn is over after so long. */
const turnMs = 5;
/** At most: fewer if other work takes 5 ms meanwhile. A request over a new connection takes three, so it waits for one part. */
const turnsBetween = 6;

/** Work that would block the event loop, in parts: of all callers one part at a time, and other work between. */
export interface TimeSlices {
  /** Resolves when the caller may run its next part: after the parts of earlier callers; at once if none ran shortly before. */
  next(): Promise<void>;
  /** Whether the part that runs now has taken its 5 ms, or has waited for something since it began. */
  isOver(): boolean;
}

/** Resolves after some turns of the event loop, so that other work runs. */
export async function giveTurns(): Promise<void> {
  await nextTurn();
  const ended = performance.now();
  for (let turn = 1; turn < turnsBetween && performance.now() - ended < turnMs; turn++) await nextTurn();
}

export function createTimeSlices(): TimeSlices {
  /** Settles when the turns after the last part are over: a part that comes later waits for none. */
  let free: Promise<void> = Promise.resolve();
  let begun = Number.NEGATIVE_INFINITY;
  return {
    next() {
      const part = free.then(() => {
        begun = performance.now();
      });
      free = part.then(giveTurns);
      return part;
    },
    isOver: () => performance.now() - begun > turnMs,
  };
}

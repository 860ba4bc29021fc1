import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { createSemaphore } from '../../util/semaphore.ts';

/** Threads that are there while there is work, and for this long after it. */
const idleMs = 10_000;

export interface PoolOptions {
  /** The file that runs in the thread, compiled: `new URL('./x-thread.js', import.meta.url)`. */
  readonly file: URL;
  /** The function that it exports. */
  readonly name: string;
  readonly maxThreads: number;
  /** Of JavaScript's own memory; a thread that needs more is ended, and its task rejects. */
  readonly maxHeapMb: number;
  /** Told of threads that died while no task was theirs, as one may that was just ended. */
  readonly onError: (error: unknown) => void;
}

export interface RunOptions {
  /** Ends the thread when aborted, and rejects. */
  readonly signal?: AbortSignal | null;
  /** Moved to the thread and not copied. */
  readonly transfer?: readonly ArrayBuffer[];
}

export interface ThreadPool {
  /** Runs the function on a copy of the task, in a thread of its own for that time; waits for a free one. */
  run(task: object, options?: RunOptions): Promise<unknown>;

  /** Calls for each number that a thread sends while it works. */
  onNumber(listener: (number: number) => void): void;

  /** Waits for all tasks, those in line too, then ends the threads. */
  close(): Promise<void>;
}

/** Starts no thread before there is a task. */
export function createThreadPool({ file, name, maxThreads, maxHeapMb, onError }: PoolOptions): ThreadPool {
  const pool = new Piscina({
    filename: fileURLToPath(file),
    name,
    minThreads: 0,
    maxThreads,
    idleTimeout: idleMs,
    recordTiming: false,
    // Small young generations: what the threads make is large and short-lived, and memory matters more.
    resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: maxHeapMb },
  });
  pool.on('error', onError); // without a listener it would end the process
  // The line is ours: where a thread is ended, piscina starts none for those who wait with it.
  const turns = createSemaphore(maxThreads);
  const running = new Set<Promise<unknown>>();

  return {
    async run(task, { signal = null, transfer = [] } = {}) {
      const result = turns.take<unknown>(() => pool.run(task, { signal, transferList: [...transfer] }));
      running.add(result);
      try {
        return await result;
      } finally {
        running.delete(result);
      }
    },
    onNumber(listener) {
      pool.on('message', (message: unknown) => {
        if (typeof message === 'number') listener(message);
      });
    },
    async close() {
      // The pool's own close drops what is in line; and a task that fails may be followed by another try.
      while (running.size > 0) {
        await Promise.allSettled(running);
        await new Promise(setImmediate);
      }
      await pool.close();
    },
  };
}

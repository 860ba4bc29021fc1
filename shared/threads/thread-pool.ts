import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { KeyedQueue } from '../util/keyed-queue.ts';

/** An unused thread is terminated after this time. */
const idleMs = 10_000;
/** The longest time of a task is so many times its timeout, for a machine that gives the process little CPU. */
const maxStretch = 10;
/** The shortest wait between two looks at the CPU time of the process. */
const checkMs = 10;

export interface PoolOptions {
  /** The compiled file that runs in the thread: `new URL('./x-thread.js', import.meta.url)`. */
  readonly file: URL;
  /** The exported function that runs a task. It posts the task's `id` when it begins, if tasks have a timeout. */
  readonly name: string;
  readonly maxThreads: number;
  /** JavaScript heap of a thread. A thread that needs more is terminated, and its task rejects. */
  readonly maxHeapMb: number;
  /** Gets the error of a thread that dies while it has no task. */
  readonly onError: (error: unknown) => void;
}

export interface RunOptions {
  /**
   * How long the task may run once the thread has begun it. Then the thread is terminated and the task rejects. What counts is the
   * CPU time of the process, which is at least that of the thread: a busy machine must not decide about a document.
   */
  readonly timeoutMs?: number;
  /** Called at the timeout; true lets the task continue. */
  readonly mayRunOn?: () => boolean;
  /** Buffers that are moved to the thread instead of copied. */
  readonly transfer?: readonly ArrayBuffer[];
}

export interface ThreadPool {
  /** Runs the function on a copy of the task and an `id`, alone in its thread. Waits for a free thread. */
  run(task: object, options?: RunOptions): Promise<unknown>;

  /** Waits for all tasks, also those that wait for a thread, then terminates the threads. */
  close(): Promise<void>;
}

/** Whether the task took longer or more memory than it may. Otherwise the thread failed. */
export function exceedsLimits(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'AbortError' || ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY');
}

/** Threads start with the first task. */
export function createThreadPool({ file, name, maxThreads, maxHeapMb, onError }: PoolOptions): ThreadPool {
  const pool = new Piscina({
    filename: fileURLToPath(file),
    name,
    minThreads: 0,
    maxThreads,
    idleTimeout: idleMs,
    recordTiming: false,
    // A small young generation saves memory; what the threads allocate is large and short-lived anyway.
    resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: maxHeapMb },
  });
  pool.on('error', onError); // an unhandled `error` event would stop the process
  pool.on('message', (message: unknown) => onBegin.get(message)?.());

  // piscina's own queue stalls when a thread is terminated.
  const threads = new KeyedQueue(maxThreads, Number.POSITIVE_INFINITY);
  const running = new Set<Promise<unknown>>();
  const onBegin = new Map<unknown, () => void>();
  let lastId = 0;

  return {
    async run(task, { timeoutMs, mayRunOn, transfer = [] } = {}) {
      const id = ++lastId;
      const timeout = new AbortController();
      let timer: NodeJS.Timeout | undefined;
      if (timeoutMs !== undefined) {
        onBegin.set(id, () => {
          const left = measureTimeLeft(timeoutMs);
          const check = () => {
            const ms = left();
            if (ms > 0) timer = setTimeout(check, Math.max(ms, checkMs));
            else if (mayRunOn?.() !== true) timeout.abort();
          };
          timer = setTimeout(check, timeoutMs);
        });
      }
      const options = { signal: timeout.signal, transferList: [...transfer] };
      const result = threads.run<unknown>(name, () => pool.run({ ...task, id }, options));
      running.add(result);
      try {
        return await result;
      } finally {
        running.delete(result);
        onBegin.delete(id);
        clearTimeout(timer);
      }
    },
    async close() {
      // piscina's close drops waiting tasks. A loop, because the caller of a failed task may add another one at once.
      while (running.size > 0) {
        await Promise.allSettled(running);
        await new Promise(setImmediate);
      }
      await pool.close();
    },
  };
}

/** @returns a function that returns how long a task that begins now may still run, in ms */
function measureTimeLeft(timeoutMs: number): () => number {
  const begunAt = performance.now();
  const begunCpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(begunCpu);
    const wall = performance.now() - begunAt;
    return Math.min(timeoutMs - (user + system) / 1000, timeoutMs * maxStretch - wall);
  };
}

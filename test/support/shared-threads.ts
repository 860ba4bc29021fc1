import type { Kind } from '../../shared/threads/task-kinds.ts';
import { createThreadPool, type PoolOptions, type ThreadPool } from '../../shared/threads/thread-pool.ts';
import { atRunEnd } from './run-end.ts';

/** A new thread takes 40 to 200 ms of CPU, so the services of a test process share theirs. */
const pools = new Map<string, ThreadPool>();
atRunEnd(async () => {
  for (const pool of pools.values()) await pool.close();
});

/** Threads for one service; its `close` waits for the work of that service and leaves the threads to the next. */
export function openSharedPool(kind: Kind, options: PoolOptions): ThreadPool {
  const key = `${kind} ${options.maxThreads}`;
  const pool = pools.get(key) ?? createThreadPool(options);
  pools.set(key, pool);
  const running = new Set<Promise<unknown>>();
  return {
    async run(task, within) {
      const result = pool.run(task, within);
      running.add(result);
      try {
        return await result;
      } finally {
        running.delete(result);
      }
    },
    async close() {
      // A loop, because the caller of a failed task may add another one at once.
      while (running.size > 0) {
        await Promise.allSettled(running);
        await new Promise(setImmediate);
      }
    },
  };
}

import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';

/** Below it a log is short enough to be left alone. It keeps its length once it was longer (journal_size_limit). */
const logBytes = 8 * 1024 * 1024;
const everyMs = 250;
/** The thread is there while there are writes, and for this long after them. */
const idleMs = 10_000;

/**
 * Checkpoints in a thread, some time after writes. On the event loop one of 8 MB, four documents, holds all requests
 * for 50 to 100 ms while the disk takes it.
 * @param tell of a failure. The next makes up for it, and without any the connection does its own (wal_autocheckpoint)
 */
export function createCheckpoints(path: string, tell: (error: unknown) => void) {
  let pool: Piscina | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> | undefined;

  function openPool(): Piscina {
    const filename = fileURLToPath(new URL('./checkpoint-thread.js', import.meta.url));
    const threads = { minThreads: 0, maxThreads: 1, idleTimeout: idleMs };
    const opened = new Piscina({ filename, name: 'checkpoint', recordTiming: false, ...threads });
    opened.on('error', tell); // without a listener it would end the process
    return opened;
  }

  function start(): void {
    timer = undefined;
    if (running !== undefined || logLength(path) < logBytes) return;
    pool ??= openPool();
    running = pool
      .run(path)
      .catch(tell)
      .finally(() => {
        running = undefined;
      });
  }

  return {
    /** To be called with each write. */
    noteWrite(): void {
      timer ??= setTimeout(start, everyMs).unref();
    },

    /** Waits for one that is under way. There must be no more writes. */
    async close(): Promise<void> {
      clearTimeout(timer);
      await running;
      await pool?.close();
    },
  };
}

function logLength(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

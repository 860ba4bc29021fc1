import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Piscina } from 'piscina';
import type { CheckpointMode } from './checkpoint-thread.ts';

const mib = 1024 * 1024;
/** A shorter WAL needs no checkpoint. The file keeps its length (journal_size_limit). */
const minWalBytes = 8 * mib;
/** A longer WAL says that the other program does not run: Litestream keeps it below 200 MB. */
const longWalBytes = 512 * mib;
/** With a longer one this process makes checkpoints after all. Litestream then begins a new snapshot. */
const maxWalBytes = 1_024 * mib;
const everyMs = 250;
/** With more pages, the WAL starts from its beginning once all are copied. */
const longLogPages = 2_048;
/** The thread exits this long after the last write. */
const idleMs = 10_000;

export type Checkpoints = ReturnType<typeof createCheckpoints>;

/**
 * In a thread, because a checkpoint on the event loop blocks requests (docs/performance.md).
 * @param isExternal Litestream makes them; bounds the WAL
 */
export function createCheckpoints(
  path: string,
  {
    isExternal = false,
    onError,
    onLongWal = () => undefined,
  }: { isExternal?: boolean; onError(error: unknown): void; onLongWal?(bytes: number): void },
) {
  const checkpointBytes = isExternal ? maxWalBytes : minWalBytes;
  let pool: Piscina | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> | undefined;
  let restarting: Promise<unknown> | null = null;
  let isPaused = false;

  async function openPool(): Promise<Piscina> {
    const { Piscina } = await import('piscina'); // not loaded by a command, which writes too little
    const filename = fileURLToPath(new URL('./checkpoint-thread.js', import.meta.url));
    const threads = { minThreads: 0, maxThreads: 1, idleTimeout: idleMs };
    const opened = new Piscina({ filename, name: 'checkpoint', recordTiming: false, ...threads });
    opened.on('error', onError); // without a listener it would stop the process
    return opened;
  }

  async function run(mode: CheckpointMode): Promise<{ readonly log: number; readonly moved: number }> {
    pool ??= await openPool();
    return pool.run({ path, mode });
  }

  async function checkpoint(): Promise<void> {
    const { log, moved } = await run('PASSIVE');
    if (isExternal || log <= longLogPages || moved < log) return;
    restarting = run('RESTART').finally(() => {
      restarting = null;
    });
    await restarting;
  }

  function start(): void {
    timer = undefined;
    const length = walLength(path);
    if (isExternal && length >= longWalBytes) onLongWal(length);
    if (isPaused || running !== undefined || length < checkpointBytes) return;
    running = checkpoint()
      .catch(onError)
      .finally(() => {
        running = undefined;
      });
  }

  return {
    /**
     * Settles when the checkpoint that holds SQLite's write lock has ended; null: none does. A write that waits for it by itself
     * would block the event loop.
     */
    get restarting(): Promise<unknown> | null {
      return restarting;
    },

    noteWrite(): void {
      timer ??= setTimeout(start, everyMs).unref();
    },

    /** No checkpoint begins until `resume`. Resolves when none runs. */
    async pause(): Promise<void> {
      isPaused = true;
      await running;
    },

    resume(): void {
      isPaused = false;
    },

    /** Waits for a running checkpoint; no other one begins. There must be no more writes. */
    async close(): Promise<void> {
      isPaused = true;
      clearTimeout(timer);
      await running;
      await pool?.close();
    },
  };
}

function walLength(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

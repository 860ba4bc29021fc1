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

interface CheckpointOptions {
  /** Litestream makes them; this process only bounds the WAL. */
  readonly isExternal?: boolean;
  onError(error: unknown): void;
  /** The other program should make checkpoints and does not. */
  onLongWal?(bytes: number): void;
}

/** The checkpoints of a database file. In a thread, because one on the event loop blocks requests (docs/performance.md). */
export class Checkpoints {
  readonly #path: string;
  readonly #isExternal: boolean;
  readonly #onError: (error: unknown) => void;
  readonly #onLongWal: (bytes: number) => void;
  #pool: Piscina | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> | undefined;
  #restarting: Promise<unknown> | null = null;
  #isPaused = false;

  /** @param path of the database file */
  constructor(path: string, { isExternal = false, onError, onLongWal = () => undefined }: CheckpointOptions) {
    this.#path = path;
    this.#isExternal = isExternal;
    this.#onError = onError;
    this.#onLongWal = onLongWal;
  }

  /**
   * Settles when the checkpoint that holds SQLite's write lock has ended; null: none does. A write that waits for it by itself
   * would block the event loop.
   */
  get restarting(): Promise<unknown> | null {
    return this.#restarting;
  }

  /** Called for each write: a checkpoint begins soon if the WAL is long. */
  noteWrite(): void {
    this.#timer ??= setTimeout(() => this.#start(), everyMs).unref();
  }

  /** No checkpoint begins until `resume`. Resolves when none runs. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.#running;
  }

  resume(): void {
    this.#isPaused = false;
  }

  /** Waits for a running checkpoint; no other one begins. There must be no more writes. */
  async close(): Promise<void> {
    this.#isPaused = true;
    clearTimeout(this.#timer);
    await this.#running;
    await this.#pool?.close();
  }

  #start(): void {
    this.#timer = undefined;
    const length = walLength(this.#path);
    if (this.#isExternal && length >= longWalBytes) this.#onLongWal(length);
    const checkpointBytes = this.#isExternal ? maxWalBytes : minWalBytes;
    if (this.#isPaused || this.#running !== undefined || length < checkpointBytes) return;
    this.#running = this.#checkpoint()
      .catch(this.#onError)
      .finally(() => {
        this.#running = undefined;
      });
  }

  async #checkpoint(): Promise<void> {
    const { log, moved } = await this.#run('PASSIVE');
    if (this.#isExternal || log <= longLogPages || moved < log) return;
    this.#restarting = this.#run('RESTART').finally(() => {
      this.#restarting = null;
    });
    await this.#restarting;
  }

  async #run(mode: CheckpointMode): Promise<{ readonly log: number; readonly moved: number }> {
    this.#pool ??= await openPool(this.#onError);
    return this.#pool.run({ path: this.#path, mode });
  }
}

async function openPool(onError: (error: unknown) => void): Promise<Piscina> {
  const { Piscina } = await import('piscina'); // not loaded by a command, which writes too little
  const filename = fileURLToPath(new URL('./checkpoint-thread.js', import.meta.url));
  const threads = { minThreads: 0, maxThreads: 1, idleTimeout: idleMs };
  const opened = new Piscina({ filename, name: 'checkpoint', recordTiming: false, ...threads });
  opened.on('error', onError); // without a listener it would stop the process
  return opened;
}

function walLength(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

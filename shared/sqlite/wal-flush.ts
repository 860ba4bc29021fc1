import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { DropError } from '../domain/errors.ts';
import type { FlushObserver } from '../metrics/metrics.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { DiskWatch } from './disk-watch.ts';
import { WalFile } from './wal-file.ts';

/** Time between two attempts to write the log again. */
const retryMs = 1_000;

interface Waiter {
  resolve(): void;
  reject(error: DropError): void;
}

export interface WalFlushDeps {
  /** Of the database. */
  readonly path: string;
  readonly connection: DatabaseSyncInstance;
  readonly disk: DiskWatch;
  readonly checkpoints: Pick<Checkpoints, 'pause' | 'resume' | 'restarting'>;
  readonly onFlush?: FlushObserver | undefined;
  /** Called instead of `WalFile.flush`: tests hold it back or let it fail. */
  readonly flush?: ((flush: () => Promise<void>) => Promise<void>) | undefined;
}

/**
 * Says when a commit is on the disk. SQLite writes commits to the log and leaves them there (`synchronous=NORMAL`); this class
 * flushes the log off the event loop, one flush at a time. A flush covers the commits that were made before it began: those that
 * come while it runs share the next one.
 *
 * After a flush that failed the log may lack what it seems to contain. All that waits is refused, and every new write, until the
 * log was written again and flushed. Checkpoints wait as well, because they would put into the database file what the log lacks.
 */
export class WalFlush {
  readonly #deps: WalFlushDeps;
  readonly #file: WalFile;
  #waiting: Waiter[] = [];
  /** A flush or a repair; it never rejects. */
  #running: Promise<void> | null = null;
  #repairTimer: NodeJS.Timeout | undefined;
  /** Whether the log waits to be written again. */
  #isRepairDue = false;
  #refusal: DropError | null = null;
  #failures = 0;

  /** @throws Error of node:fs */
  constructor(deps: WalFlushDeps) {
    this.#deps = deps;
    this.#file = new WalFile(deps.path);
  }

  /** How many flushes failed. What their writes changed can be read, although their callers got an error. */
  get failures(): number {
    return this.#failures;
  }

  /**
   * Flushes what a killed process has left in the log, on the event loop. Called before the first write.
   * @param mayHaveFailed that process may have ended because its flushes failed @throws Error of node:fs, SQLite's error
   */
  flushAtStart(mayHaveFailed: boolean): void {
    if (mayHaveFailed && !this.#file.isEmpty()) {
      this.#deps.connection.exec('BEGIN IMMEDIATE');
      try {
        this.#file.writeAgainSync();
      } finally {
        this.#deps.connection.exec('ROLLBACK');
      }
    }
    this.#file.flushSync();
  }

  /** What new writes get while nothing may be committed; null: the log is safe. */
  get refusal(): DropError | null {
    return this.#refusal;
  }

  /**
   * What the next transaction should wait for: a flush or a repair, because what is committed meanwhile waits for the next flush
   * anyway, or a checkpoint that holds the write lock. null: nothing.
   */
  get busy(): Promise<unknown> | null {
    return this.#running ?? this.#deps.checkpoints.restarting;
  }

  /** Resolves when all that was committed before the call is on the disk. @throws DropError `unavailable`: it may not be */
  flushed(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#runNext();
    });
  }

  /** A checkpoint flushes the log, too. @returns whether the disk is the reason of the error */
  noteFailedCheckpoint(error: unknown): boolean {
    const refusal = this.#deps.disk.failed(error);
    if (refusal?.details?.reason === 'disk_failed') this.#fail(refusal, []);
    return refusal !== null;
  }

  /** Waits for the commits that were made. SQLite's own last checkpoint may follow. */
  async close(): Promise<void> {
    clearTimeout(this.#repairTimer);
    this.#isRepairDue = false;
    while (this.#running !== null) await this.#running;
    if (this.#refusal !== null) await this.#repair(); // otherwise SQLite's flush would succeed and write nothing
    clearTimeout(this.#repairTimer);
    this.#file.close();
  }

  #runNext(): void {
    if (this.#running !== null) return;
    if (this.#isRepairDue) this.#run(this.#repair());
    else if (this.#waiting.length > 0) this.#run(this.#flushForWaiting());
  }

  #run(work: Promise<void>): void {
    this.#running = work.finally(() => {
      this.#running = null;
      this.#runNext();
    });
  }

  async #flushForWaiting(): Promise<void> {
    const batch = this.#waiting; // fixed before the flush begins
    this.#waiting = [];
    try {
      await this.#flush();
      if (this.#refusal !== null) throw this.#refusal; // a checkpoint failed meanwhile
      for (const waiter of batch) waiter.resolve();
    } catch (error) {
      this.#fail(this.#refusal ?? this.#deps.disk.flushFailed(error), batch);
    }
  }

  async #flush(): Promise<void> {
    const { flush, onFlush } = this.#deps;
    const startedAt = performance.now();
    const flushFile = () => this.#file.flush();
    await (flush === undefined ? flushFile() : flush(flushFile));
    onFlush?.((performance.now() - startedAt) / 1_000);
  }

  #fail(refusal: DropError, batch: readonly Waiter[]): void {
    this.#failures += 1;
    this.#deps.onFlush?.(null);
    const refused = [...batch, ...this.#waiting];
    this.#waiting = [];
    for (const waiter of refused) waiter.reject(refusal);
    if (this.#refusal === null) this.#repairIn(0);
    this.#refusal = refusal;
  }

  #repairIn(ms: number): void {
    const start = () => {
      this.#isRepairDue = true;
      this.#runNext();
    };
    this.#repairTimer = setTimeout(start, ms).unref();
  }

  /** Never rejects: after a failure it is tried again. */
  async #repair(): Promise<void> {
    const { connection, checkpoints, disk } = this.#deps;
    this.#isRepairDue = false;
    try {
      await checkpoints.pause();
      connection.exec('BEGIN IMMEDIATE'); // no process changes the log meanwhile
      await this.#file.writeAgain();
      await this.#flush();
      this.#refusal = null;
      checkpoints.resume();
      disk.succeeded();
    } catch (error) {
      this.#refusal = disk.failed(error) ?? this.#refusal;
      this.#deps.onFlush?.(null);
      this.#repairIn(retryMs);
    } finally {
      if (connection.isTransaction) connection.exec('ROLLBACK');
    }
  }
}

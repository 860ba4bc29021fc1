import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { unavailable } from '../domain/errors.ts';
import type { TransactionObserver } from '../metrics/metrics.ts';
import type { DiskWatch } from './disk-watch.ts';
import { isBusy } from './result-codes.ts';
import type { WalFlush } from './wal-flush.ts';

interface Write {
  /** May be called again after a rollback. */
  run(): void;
  /** See `Database.writeDerived`. */
  readonly isDerived: boolean;
  resolve(): void;
  reject(error: unknown): void;
}

/** More would block the event loop for long. */
const maxWrites = 256;
/** So many milliseconds of writes, and one more, share a transaction. */
const sliceMs = 5;

/**
 * The writes of one turn share a transaction, in order, and so do all that come while the log is flushed. Each resolves once it is
 * on the disk, derived ones with the commit.
 */
export class WriteGroup {
  readonly #connection: DatabaseSyncInstance;
  readonly #disk: DiskWatch;
  readonly #wal: WalFlush;
  readonly #onEnd: TransactionObserver | undefined;
  readonly #begin;
  readonly #commit;
  readonly #rollback;
  readonly #countChanges;
  #waiting: Write[] = [];
  #isClosed = false;

  constructor(connection: DatabaseSyncInstance, disk: DiskWatch, wal: WalFlush, onEnd?: TransactionObserver) {
    this.#connection = connection;
    this.#disk = disk;
    this.#wal = wal;
    this.#onEnd = onEnd;
    this.#begin = connection.prepare('BEGIN IMMEDIATE');
    this.#commit = connection.prepare('COMMIT');
    this.#rollback = connection.prepare('ROLLBACK');
    this.#countChanges = connection.prepare('SELECT total_changes() AS count');
  }

  write<T>(work: () => T, isDerived: boolean): Promise<T> {
    if (this.#isClosed) return Promise.reject(unavailable('The database is closed.'));
    return new Promise<T>((resolve, reject) => {
      let result: T;
      const run = () => {
        result = work();
      };
      this.#waiting.push({ run, isDerived, resolve: () => resolve(result), reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#runSoon());
    });
  }

  /** Runs the waiting writes and rejects later ones. */
  close(): void {
    this.#isClosed = true;
    while (this.#waiting.length > 0) this.#runNext();
  }

  #runSoon(): void {
    const { busy, refusal } = this.#wal;
    if (busy === null || refusal !== null) this.#runNext();
    else void busy.catch(() => undefined).then(() => this.#runSoon()); // a failed checkpoint is reported by itself
  }

  /** Runs those that fit into one slice of time; the others follow after other work of the event loop. */
  #runNext(): void {
    if (this.#waiting.length === 0) return;
    const startedAt = performance.now();
    const writes = this.#waiting.splice(0, maxWrites);
    const { begun, isDone } = this.#try(writes, startedAt + sliceMs);
    this.#waiting.unshift(...writes.slice(begun));
    if (this.#waiting.length > 0) setImmediate(() => this.#runNext());
    this.#onEnd?.(begun, (performance.now() - startedAt) / 1_000, !isDone);
  }

  /**
   * If one throws, all that were begun are repeated one by one: savepoints would cost every write.
   * @param until begins no other write then @returns how many were begun, and whether any is committed
   */
  #try(writes: readonly Write[], until: number): { begun: number; isDone: boolean } {
    const refusal = this.#wal.refusal ?? this.#disk.refusal();
    if (refusal !== null) return refuse(writes, refusal);
    const changesBefore = this.#disk.isFailing() ? this.#countChanges.get().count : null;
    const begun: Write[] = [];
    let isRunning = true;
    try {
      this.#begin.run();
      for (const write of writes) {
        begun.push(write);
        write.run();
        if (performance.now() >= until) break;
      }
      isRunning = false;
      this.#commit.run();
    } catch (error) {
      const isOpen = this.#connection.isTransaction; // false: SQLite rolled it back (disk full, …)
      if (isOpen) this.#rollback.run();
      if (isOpen && isRunning && begun.length > 1) return this.#tryEach(begun);
      // A write that stood first and threw is refused alone; what ended the transaction or its start is the reason for all.
      return refuse(isOpen && isRunning ? begun : writes, this.#explain(error));
    }
    const isChange = changesBefore !== null && changesBefore !== this.#countChanges.get().count;
    this.#acknowledge(begun, isChange);
    return { begun: begun.length, isDone: true };
  }

  #tryEach(writes: readonly Write[]): { begun: number; isDone: boolean } {
    const outcomes = writes.map((write) => this.#try([write], 0));
    return { begun: writes.length, isDone: outcomes.some(({ isDone }) => isDone) };
  }

  /** @param isChange the disk had failed before these writes, which have changed something */
  #acknowledge(writes: readonly Write[], isChange: boolean): void {
    for (const write of writes) if (write.isDerived) write.resolve();
    const lasting = writes.filter(({ isDerived }) => !isDerived);
    if (lasting.length === 0) return;
    this.#wal.flushed().then(
      () => {
        if (isChange) this.#disk.succeeded();
        for (const write of lasting) write.resolve();
      },
      (error: unknown) => rejectAll(lasting, error),
    );
  }

  #explain(error: unknown): unknown {
    if (isBusy(error)) return unavailable('The database is busy.', 1, { cause: error });
    return this.#disk.failed(error) ?? error;
  }
}

function rejectAll(writes: readonly Write[], cause: unknown): void {
  for (const write of writes) write.reject(cause);
}

function refuse(writes: readonly Write[], cause: unknown): { begun: number; isDone: boolean } {
  rejectAll(writes, cause);
  return { begun: writes.length, isDone: false };
}

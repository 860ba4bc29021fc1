import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { unavailable } from '../domain/errors.ts';
import type { TransactionObserver } from '../metrics/metrics.ts';
import type { DiskWatch } from './disk-watch.ts';
import { isBusy } from './result-codes.ts';

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

/** The writes of one turn share a transaction and a flush, in order. Derived data alone is flushed with the next write. */
export function createWriteGroup(
  connection: DatabaseSyncInstance,
  disk: DiskWatch,
  onEnd?: TransactionObserver,
) {
  const begin = connection.prepare('BEGIN IMMEDIATE');
  const commit = connection.prepare('COMMIT');
  const rollback = connection.prepare('ROLLBACK');
  const countChanges = connection.prepare('SELECT total_changes() AS count');
  let waiting: Write[] = [];
  let flushes = true;
  let isClosed = false;

  function runGroup(): void {
    const writes = waiting.slice(0, maxWrites);
    waiting = waiting.slice(maxWrites);
    if (waiting.length > 0) setImmediate(runNext);
    const startedAt = performance.now();
    const isDone = tryWrites(writes);
    onEnd?.(writes.length, (performance.now() - startedAt) / 1_000, !isDone);
  }

  /** If one throws, all are repeated one by one: savepoints would cost every write. @returns whether any is committed */
  function tryWrites(writes: readonly Write[]): boolean {
    const changesBefore = disk.isFailing() ? countChanges.get().count : null;
    let isRunning = true;
    try {
      setFlush(!writes.every(({ isDerived }) => isDerived));
      begin.run();
      for (const write of writes) write.run();
      isRunning = false;
      commit.run();
    } catch (error) {
      const isOpen = connection.isTransaction; // false: SQLite rolled it back (disk full, …)
      if (isOpen) rollback.run();
      if (isOpen && isRunning && writes.length > 1)
        return writes.map((write) => tryWrites([write])).includes(true);
      return rejectAll(writes, explain(error));
    }
    if (changesBefore !== null && changesBefore !== countChanges.get().count) disk.succeeded();
    for (const write of writes) write.resolve();
    return true;
  }

  /** The setting takes effect when it is compiled, so it cannot be prepared. */
  function setFlush(isWanted: boolean): void {
    if (isWanted !== flushes) connection.exec(`PRAGMA synchronous = ${isWanted ? 'FULL' : 'NORMAL'}`);
    flushes = isWanted;
  }

  function rejectAll(writes: readonly Write[], cause: unknown): false {
    for (const write of writes) write.reject(cause);
    return false;
  }

  function explain(error: unknown): unknown {
    if (isBusy(error)) return unavailable('The database is busy.', 1, { cause: error });
    return disk.failed(error) ?? error;
  }

  function runNext(): void {
    if (waiting.length > 0) runGroup();
  }

  return {
    write<T>(work: () => T, isDerived: boolean): Promise<T> {
      if (isClosed) return Promise.reject(unavailable('The database is closed.'));
      return new Promise<T>((resolve, reject) => {
        let result: T;
        const run = () => {
          result = work();
        };
        waiting.push({ run, isDerived, resolve: () => resolve(result), reject });
        if (waiting.length === 1) setImmediate(runNext);
      });
    },

    /** Runs the waiting writes and rejects later ones. */
    close(): void {
      isClosed = true;
      while (waiting.length > 0) runGroup();
    },
  };
}

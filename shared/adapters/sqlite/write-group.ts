import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { unavailable } from '../../domain/errors.ts';
import type { TransactionEnded } from '../../ports/metrics.ts';
import type { DiskWatch } from './disk-watch.ts';
import { isBusy } from './result-codes.ts';

interface Write {
  run(): void;
  resolve(): void;
  reject(error: unknown): void;
}

/** Writes per transaction: more would block the event loop for long. */
const maxWrites = 256;

/**
 * Group commit: the writes of one turn of the event loop share one transaction and one flush of the disk. They run in
 * order and synchronously, so a read outside sees only what is committed.
 */
export function createWriteGroup(
  connection: DatabaseSyncInstance,
  disk: DiskWatch,
  onEnd?: TransactionEnded,
) {
  const begin = connection.prepare('BEGIN IMMEDIATE');
  const commit = connection.prepare('COMMIT');
  const rollback = connection.prepare('ROLLBACK');
  const save = connection.prepare('SAVEPOINT one_write');
  const release = connection.prepare('RELEASE one_write');
  const undo = connection.prepare('ROLLBACK TO one_write');
  const countChanges = connection.prepare('SELECT total_changes() AS count');
  let waiting: Write[] = [];
  let isClosed = false;

  /** Runs one write. @returns a function that settles its promise; call it when the group is committed */
  function runOne(write: Write): () => void {
    save.run();
    try {
      write.run();
    } catch (error) {
      if (!connection.isTransaction) throw error; // SQLite rolled back the whole group (disk full, …)
      undo.run();
      release.run();
      return () => write.reject(disk.failed(error) ?? error);
    }
    release.run();
    return () => write.resolve();
  }

  function runGroup(): void {
    const writes = waiting.slice(0, maxWrites);
    waiting = waiting.slice(maxWrites);
    if (waiting.length > 0) setImmediate(runNext);
    const startedAt = performance.now();
    const isDone = tryWrites(writes);
    onEnd?.(writes.length, (performance.now() - startedAt) / 1_000, !isDone);
  }

  /** @returns whether they are committed */
  function tryWrites(writes: readonly Write[]): boolean {
    const changesBefore = disk.isFailing() ? countChanges.get().count : null;
    try {
      begin.run();
      const outcomes = writes.map(runOne);
      commit.run();
      for (const settle of outcomes) settle();
      if (changesBefore !== null && changesBefore !== countChanges.get().count) disk.succeeded();
      return true;
    } catch (error) {
      const cause = explain(error);
      for (const write of writes) write.reject(cause);
      if (connection.isTransaction) rollback.run();
      return false;
    }
  }

  /** The error that callers get. */
  function explain(error: unknown): unknown {
    if (isBusy(error)) return unavailable('The database is busy.', 1, { cause: error });
    return disk.failed(error) ?? error;
  }

  function runNext(): void {
    if (waiting.length > 0) runGroup();
  }

  return {
    /** See `Database.write`. */
    write<T>(work: () => T): Promise<T> {
      if (isClosed) return Promise.reject(unavailable('The database is closed.'));
      return new Promise<T>((resolve, reject) => {
        let result: T;
        const run = () => {
          result = work();
        };
        waiting.push({ run, resolve: () => resolve(result), reject });
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

import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { unavailable } from '../../domain/errors.ts';
import { isBusy } from './errors.ts';

interface Write {
  run(): void;
  resolve(): void;
  reject(error: unknown): void;
}

/** So many at most share a transaction, so that a flood of writes does not hold the event loop for long. */
const maxWrites = 256;

/**
 * Group commit: the writes asked for in one turn of the event loop share one transaction, and so one flush of the
 * disk. They run in order and synchronously, so a read outside sees only what is committed.
 */
export function createWriteGroup(connection: DatabaseSyncInstance) {
  const begin = connection.prepare('BEGIN IMMEDIATE');
  const commit = connection.prepare('COMMIT');
  const rollback = connection.prepare('ROLLBACK');
  const save = connection.prepare('SAVEPOINT one_write');
  const release = connection.prepare('RELEASE one_write');
  const undo = connection.prepare('ROLLBACK TO one_write');
  let waiting: Write[] = [];
  let isClosed = false;

  /** Runs one write; the answer tells it the outcome, once the group is committed. */
  function runOne(write: Write): () => void {
    save.run();
    try {
      write.run();
    } catch (error) {
      if (!connection.isTransaction) throw error; // so grave (disk full, …) that SQLite undid the whole group
      undo.run();
      release.run();
      return () => write.reject(error);
    }
    release.run();
    return () => write.resolve();
  }

  function runGroup(): void {
    const writes = waiting.slice(0, maxWrites);
    waiting = waiting.slice(maxWrites);
    if (waiting.length > 0) setImmediate(runNext);
    try {
      begin.run();
      const outcomes = writes.map(runOne);
      commit.run();
      for (const tell of outcomes) tell();
    } catch (error) {
      const told = isBusy(error) ? unavailable('The database is busy.', 1, { cause: error }) : error;
      for (const write of writes) write.reject(told);
      if (connection.isTransaction) rollback.run();
    }
  }

  function runNext(): void {
    if (waiting.length > 0) runGroup();
  }

  return {
    /**
     * Runs `work` in a transaction of the coming group. What it throws undoes it alone and rejects the promise.
     * @returns what `work` returned, once it is on the disk
     * @throws DropError `unavailable` when another process holds the database for too long, or it is closed
     */
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

    /** Runs what waits, and takes nothing more. */
    close(): void {
      isClosed = true;
      while (waiting.length > 0) runGroup();
    },
  };
}

import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

/** With more pages, writers wait once all are copied, so that the WAL starts from its beginning. */
const longLogPages = 2_048;

/** `synchronous` is never OFF: the log has to be on the disk before its pages are copied into the file. */
export function openCheckpointer(path: string): DatabaseSyncInstance {
  const connection = new DatabaseSync(path);
  connection.exec('PRAGMA synchronous = FULL; PRAGMA busy_timeout = 100');
  return connection;
}

/** @returns pages in the WAL, and how many of them are in the file now (PRAGMA wal_checkpoint) */
export function checkpoint({ path, mayRestart }: { path: string; mayRestart: boolean }): {
  log: number;
  moved: number;
} {
  const connection = openCheckpointer(path);
  try {
    const result = move('PASSIVE');
    const isDue = result.log > longLogPages && result.moved === result.log;
    return mayRestart && isDue ? move('RESTART') : result;
  } finally {
    connection.close();
  }

  function move(mode: 'PASSIVE' | 'RESTART'): { log: number; moved: number } {
    const row = connection.prepare(`PRAGMA wal_checkpoint(${mode})`).get();
    const { log, checkpointed } = row as { log: number; checkpointed: number }; // proof: the pragma's columns
    return { log, moved: checkpointed };
  }
}

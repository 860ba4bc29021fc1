import { DatabaseSync } from '@photostructure/sqlite';

/**
 * With more pages than this in the WAL, writers wait until all are copied, so that the WAL starts from its beginning. Not
 * while a long read, such as a backup, keeps pages from being copied: writers would wait in vain.
 */
const longLogPages = 2_048;

/**
 * Copies committed pages from the WAL into the database file, on its own connection, in a thread. Readers and writers
 * do not wait for it, except for a RESTART.
 * @returns pages in the WAL, and how many of them are in the file now (PRAGMA wal_checkpoint)
 */
export function checkpoint({ path, mayRestart }: { path: string; mayRestart: boolean }): {
  log: number;
  moved: number;
} {
  const connection = new DatabaseSync(path);
  try {
    connection.exec('PRAGMA synchronous = FULL; PRAGMA busy_timeout = 100');
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

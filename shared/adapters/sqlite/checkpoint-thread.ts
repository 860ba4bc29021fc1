import { DatabaseSync } from '@photostructure/sqlite';

/** More than that in the log, and writers wait for the little that is left, so that the log can begin anew. */
const longLogPages = 2_048;

/**
 * Moves what is committed from the log into the database file, on a connection of its own. Neither readers nor writers
 * wait for it, but for a moment where they have been so busy that the log found no end. Runs in a thread.
 * @returns pages that were in the log, and how many of them are in the file now (SQLite: PRAGMA wal_checkpoint)
 */
export function checkpoint(path: string): { log: number; moved: number } {
  const connection = new DatabaseSync(path);
  try {
    connection.exec('PRAGMA synchronous = FULL; PRAGMA busy_timeout = 100');
    const result = move('PASSIVE');
    return result.log > longLogPages ? move('RESTART') : result;
  } finally {
    connection.close();
  }

  function move(mode: 'PASSIVE' | 'RESTART'): { log: number; moved: number } {
    const row = connection.prepare(`PRAGMA wal_checkpoint(${mode})`).get();
    const { log, checkpointed } = row as { log: number; checkpointed: number }; // proof: the pragma's columns
    return { log, moved: checkpointed };
  }
}

import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

/** `synchronous` is never OFF: the log has to be on the disk before its pages are copied into the file. */
export function openCheckpointer(path: string): DatabaseSyncInstance {
  const connection = new DatabaseSync(path);
  connection.exec('PRAGMA synchronous = FULL; PRAGMA busy_timeout = 100');
  return connection;
}

/** RESTART also waits until the next writer may begin the WAL anew; it holds SQLite's write lock meanwhile. */
export type CheckpointMode = 'PASSIVE' | 'RESTART';

/** @returns pages in the WAL, and how many of them are in the file now (PRAGMA wal_checkpoint) */
export function checkpoint({ path, mode }: { path: string; mode: CheckpointMode }): {
  log: number;
  moved: number;
} {
  const connection = openCheckpointer(path);
  try {
    const row = connection.prepare(`PRAGMA wal_checkpoint(${mode})`).get();
    const { log, checkpointed } = row as { log: number; checkpointed: number }; // proof: the pragma's columns
    return { log, moved: checkpointed };
  } finally {
    connection.close();
  }
}

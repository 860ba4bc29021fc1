import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { messageOf } from '../util/error-texts.ts';
import { checkDataForm, knownDataForm, migrate } from './data-form.ts';
import { findDiskFailure } from './disk-watch.ts';

/** A statement waits so long for another process. */
export const busyMs = 5_000;

/** Only for new files: each of them is a write, which a full disk would refuse. */
const newFileSettings = `
  PRAGMA page_size = 16384;
  PRAGMA auto_vacuum = INCREMENTAL;
`;

/**
 * NORMAL: a commit is written to the log, and WalFlush flushes it before it is acknowledged; never OFF, because a checkpoint of
 * this connection must flush the log before it copies pages. secure_delete: zeros. Checkpoints in a thread, in the connection at 128 MB.
 */
const settings = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA foreign_keys = ON;
  PRAGMA secure_delete = ON;
  PRAGMA cache_size = -8192;
  PRAGMA temp_store = MEMORY;
  PRAGMA wal_autocheckpoint = 8192;
  PRAGMA journal_size_limit = 33554432;
`;

/**
 * Opens or creates the file with the service's settings, and migrates it.
 * @param onMigration called with the forms before and after; null: the database must not be changed
 * @param onCreate called in the transaction that creates the tables @throws Error that says what to do
 */
export function connect(
  path: string,
  onMigration: ((from: number, to: number) => void) | null,
  onCreate?: (connection: DatabaseSyncInstance) => void,
): DatabaseSyncInstance {
  let connection: DatabaseSyncInstance | undefined;
  let what = 'opened';
  try {
    makePrivateFile(path);
    connection = new DatabaseSync(path, { timeout: busyMs });
    checkDataForm(connection, onMigration !== null);
    if (connection.prepare('PRAGMA page_count').get().page_count === 0) connection.exec(newFileSettings);
    connection.exec(settings);
    if (onMigration !== null) {
      what = 'migrated';
      const from = migrate(connection, onCreate);
      if (from !== 0 && from !== knownDataForm()) onMigration(from, knownDataForm());
    }
    return connection;
  } catch (cause) {
    connection?.close();
    throw notUsable(path, what, cause);
  }
}

/** @param what cannot be done, such as `opened` */
export function notUsable(path: string, what: string, cause: unknown): Error {
  return new Error(`The database ${path} cannot be ${what}: ${reasonOf(cause, path)}`, { cause });
}

function reasonOf(cause: unknown, path: string): string {
  const message = messageOf(cause);
  const failure = findDiskFailure(cause, path);
  if (failure === null) return message;
  if (failure.reason === 'disk_failed') return `its disk does not accept writes (${message})`;
  return `its disk is full (${failure.freeBytes} bytes free); free some space and start again`;
}

/**
 * For this user only; SQLite gives its other files the same mode. Closing an existing file would release our locks (fcntl).
 */
export function makePrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // proof: node:fs throws these
  }
}

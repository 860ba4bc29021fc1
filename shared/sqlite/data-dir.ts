import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Log } from '../log/log.ts';
import { messageOf } from '../util/error-texts.ts';
import { makePrivateFile } from './connection.ts';
import { isBusy } from './result-codes.ts';

/** The database and its WAL, the reserve, the lock and the secrets. */
const ourFiles = /^(dropleaf\.sqlite|disk-reserve|service\.lock|sign-in-key|signing-secret)/;
const groupAndOthers = 0o077;

export function databaseFile(dir: string): string {
  return join(dir, 'dropleaf.sqlite');
}

/** Creates and locks the data directory, and makes its files private. @throws Error of one sentence */
export function takeDataDir(dir: string, log: Log): DataDirLock {
  try {
    makeDir(resolve(dir));
    accessSync(dir, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new Error(`DATA_DIR ${dir} cannot be created or written to: ${messageOf(cause)}`, { cause });
  }
  const lock = lockDataDir(dir);
  makePrivate(dir, log);
  return lock;
}

/** For commands: a mistyped DATA_DIR must not become a second, empty store. @throws Error of one sentence */
export function requireData(dir: string): void {
  try {
    accessSync(dir, constants.W_OK | constants.X_OK);
    accessSync(databaseFile(dir), constants.R_OK | constants.W_OK);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : null;
    const where = `${resolve(dir)} (DATA_DIR)`;
    const message =
      code === 'ENOENT' || code === 'ENOTDIR'
        ? `no Dropleaf data in ${where}: start the service once, or set DATA_DIR to where its data is`
        : `this user may not write to ${where}: run the command as the user that the service runs as`;
    throw new Error(message, { cause });
  }
}

/** Like `mkdir -p`. Node's `recursive` never returns if a file system (/proc) refuses with ENOENT. */
export function makeDir(dir: string): void {
  if (existsSync(dir)) return;
  makeDir(dirname(dir));
  mkdirSync(dir, { mode: 0o700 });
}

export interface DataDirLock {
  release(): void;
}

/** Only one service may run on the directory. @throws Error of one sentence if another process has the lock */
export function lockDataDir(dir: string): DataDirLock {
  let lock: DataDirLock | null;
  try {
    lock = lockFile(join(dir, 'service.lock'));
  } catch (cause) {
    throw new Error(`${dir} cannot be locked: ${messageOf(cause)}`, { cause });
  }
  if (lock !== null) return lock;
  throw new Error(`Another Dropleaf is running on ${resolve(dir)}: stop it, or set another DATA_DIR`);
}

/**
 * The lock is a transaction on the file, so it is released with the process. Its journal is in memory: the disk may be full.
 * @returns null: another process has the lock @throws SQLite's error if the file cannot be written
 */
export function lockFile(path: string): DataDirLock | null {
  let connection: DatabaseSyncInstance | undefined;
  try {
    makePrivateFile(path);
    connection = new DatabaseSync(path, { timeout: 0 });
    connection.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    connection?.close();
    if (isBusy(error)) return null;
    throw error;
  }
  const held = connection;
  return {
    release() {
      if (held.isOpen) held.close();
    },
  };
}

/** Removes the permissions of other users on our files, with a warning. The directory may be shared: a warning only. */
export function makePrivate(dir: string, log: Log): void {
  const mode = modeOf(dir);
  if ((mode & groupAndOthers) !== 0) {
    log.warn({ dir: resolve(dir), mode: octal(mode) }, 'Other users can open DATA_DIR; run chmod 700 on it');
  }
  for (const name of readdirSync(dir)) {
    if (ourFiles.test(name)) removePermissions(join(dir, name), log);
  }
}

function removePermissions(path: string, log: Log): void {
  const mode = modeOf(path);
  if ((mode & groupAndOthers) === 0) return;
  const fields = { path: resolve(path), mode: octal(mode) };
  try {
    chmodSync(path, mode & ~groupAndOthers);
    log.warn(fields, 'Other users had access to a data file; their permissions were removed');
  } catch (err) {
    log.warn({ ...fields, err }, 'Other users have access to a data file that belongs to another user');
  }
}

/** 0 for a file that was removed meanwhile. */
function modeOf(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o7777;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

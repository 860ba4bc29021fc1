import { join, resolve } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { isBusy } from './errors.ts';
import { makePrivateFile } from './private-file.ts';

export interface DataDirLock {
  release(): void;
}

/**
 * Takes the directory for this process: one service at a time runs on it. The lock is that of a transaction on
 * `service.lock`, so the system ends it with the process, however it dies. Hold on to what is returned.
 * @throws Error in one sentence when another process has it, or the file cannot be made
 */
export function lockDataDir(dir: string): DataDirLock {
  let connection: DatabaseSyncInstance | undefined;
  try {
    const path = join(dir, 'service.lock');
    makePrivateFile(path);
    connection = new DatabaseSync(path, { timeout: 0 });
    connection.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    connection?.close();
    throw new Error(describe(dir, cause), { cause });
  }
  const held = connection;
  return {
    release() {
      if (held.isOpen) held.close();
    },
  };
}

function describe(dir: string, cause: unknown): string {
  if (isBusy(cause))
    return `Another Dropleaf is running on ${resolve(dir)}: stop it, or set another DATA_DIR`;
  return `${dir} cannot be locked: ${cause instanceof Error ? cause.message : String(cause)}`;
}

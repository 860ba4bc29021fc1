import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beginBackup, removeOldBackups } from '../archives/files.ts';
import { copyDatabase, type RowCounts } from '../archives/sqlite-backup.ts';
import { isSecretFile } from '../secrets/files.ts';
import { databaseFile, lockFile, makeDir, requireData } from '../sqlite/data-dir.ts';
import { findDiskFailure } from '../sqlite/disk-watch.ts';
import { messageOf } from '../util/error-texts.ts';

const lockName = '.dropleaf-backup.lock';

export interface FinishedBackup {
  readonly path: string;
  readonly bytes: number;
  readonly rows: RowCounts;
  /** Paths of older backups. */
  readonly removed: readonly string[];
}

/**
 * Makes a verified backup of the data in `dataDir`, whether the service is running or not: a new folder in `dir` with the
 * database and the secrets that the service generated, complete or absent. It is a data directory: a service starts on
 * a copy of it.
 * @param keep how many backups stay, this one included; null: all
 * @param now Unix ms
 * @throws Error of one sentence
 */
export async function backUp(options: {
  dataDir: string;
  dir: string;
  keep: number | null;
  release: string;
  now: number;
}): Promise<FinishedBackup> {
  const dataDir = resolve(options.dataDir);
  const dir = resolve(options.dir);
  requireData(dataDir);
  const lock = prepare(dir);
  try {
    requireSpace(dir, dataDir);
    const { path, rows } = await write(dir, dataDir, options);
    const removed = options.keep === null ? [] : removeOldBackups(dir, dataDir, options.keep);
    return { path, rows, removed, bytes: statSync(databaseFile(path)).size };
  } finally {
    lock.release();
  }
}

/** Creates the folder and locks it for one backup at a time. */
function prepare(dir: string) {
  let lock: ReturnType<typeof lockFile>;
  try {
    makeDir(dir);
    lock = lockFile(join(dir, lockName));
  } catch (cause) {
    throw new Error(`backups cannot be written to ${dir}: ${explain(cause, dir)}`, { cause });
  }
  if (lock === null)
    throw new Error(`another backup is being written to ${dir}: run this command when it has ended`);
  return lock;
}

async function write(
  dir: string,
  dataDir: string,
  { now, release }: { now: number; release: string },
): Promise<{ path: string; rows: RowCounts }> {
  const backup = beginBackup(dir, now);
  try {
    const rows = await copyDatabase(databaseFile(dataDir), databaseFile(backup.path));
    for (const name of readdirSync(dataDir)) if (isSecretFile(name)) backup.copy(join(dataDir, name), name);
    const begunAt = new Date(now).toISOString();
    return { rows, path: backup.finish({ format: 'dropleaf-backup-1', dataDir, release, begunAt, rows }) };
  } catch (cause) {
    const reason = explain(cause, dir);
    backup.discard();
    throw new Error(`no backup was made: ${reason}`, { cause });
  }
}

/** A disk that the copy would fill is refused before anything is written: the data may be on the same one. */
function requireSpace(dir: string, dataDir: string): void {
  const file = databaseFile(dataDir);
  const needed = [file, `${file}-wal`]
    .filter((path) => existsSync(path))
    .reduce((sum, path) => sum + statSync(path).size, 0);
  const { bavail, bsize } = statfsSync(dir);
  if (bavail * bsize >= needed) return;
  throw new Error(
    `${dir} has ${inMegabytes(bavail * bsize)} free, and the backup needs up to ${inMegabytes(needed)}`,
  );
}

function explain(cause: unknown, dir: string): string {
  if (findDiskFailure(cause, join(dir, lockName))?.reason === 'disk_full')
    return `the disk of ${dir} is full`;
  return messageOf(cause);
}

function inMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000)} MB`;
}

import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { copyDatabase, type RowCounts } from '../archives/sqlite-backup.ts';
import { isSecretFile } from '../secrets/files.ts';
import { databaseFile, lockFile, makeDir, requireData } from '../sqlite/data-dir.ts';
import { findDiskFailure } from '../sqlite/disk-watch.ts';
import { messageOf } from '../util/error-texts.ts';

const lockName = '.dropleaf-backup.lock';
/** `dropleaf-20261123T030000Z`: the time at which the backup began. */
const backupName = /^dropleaf-\d{8}T\d{6}Z$/;
const partialName = /^\.dropleaf-\d{8}T\d{6}Z\.partial$/;
const factsFile = 'backup.json';
const format = 'dropleaf-backup-1';

export interface FinishedBackup {
  readonly path: string;
  readonly bytes: number;
  readonly rows: RowCounts;
  /** Paths of older backups. */
  readonly removed: readonly string[];
}

/**
 * Makes a verified backup, also of a running service: a new folder in `dir` with the database and the generated secrets,
 * complete or absent. A service starts on a copy of it. @param keep how many backups stay, this one included; null: all
 * @param now Unix ms @throws Error of one sentence
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

/** A disk that the copy would fill is refused before anything is written: the data may be on the same one. */
function requireSpace(dir: string, dataDir: string): void {
  const file = databaseFile(dataDir);
  const needed = [file, `${file}-wal`]
    .filter((path) => existsSync(path))
    .reduce((sum, path) => sum + statSync(path).size, 0);
  const { bavail, bsize } = statfsSync(dir);
  const inMegabytes = (bytes: number) => `${Math.ceil(bytes / 1_000_000)} MB`;
  if (bavail * bsize >= needed) return;
  throw new Error(
    `${dir} has ${inMegabytes(bavail * bsize)} free, and the backup needs up to ${inMegabytes(needed)}`,
  );
}

/** Fills a folder for this user alone, which gets its final name when it is complete. Removes what an interrupted backup has left. */
async function write(
  dir: string,
  dataDir: string,
  { now, release }: { now: number; release: string },
): Promise<{ path: string; rows: RowCounts }> {
  for (const name of foldersIn(dir)) if (partialName.test(name)) remove(join(dir, name));
  const name = freeName(dir, now);
  const partial = join(dir, `.${name}.partial`);
  const path = join(dir, name);
  mkdirSync(partial, { mode: 0o700 });
  try {
    const rows = await copyDatabase(databaseFile(dataDir), databaseFile(partial));
    for (const file of readdirSync(dataDir).filter(isSecretFile)) {
      copyFileSync(join(dataDir, file), join(partial, file));
      chmodSync(join(partial, file), 0o600);
    }
    const facts = { format, dataDir, release, begunAt: new Date(now).toISOString(), rows };
    writeFileSync(join(partial, factsFile), `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
    for (const file of readdirSync(partial)) flush(join(partial, file));
    flush(partial);
    renameSync(partial, path);
    flush(dir);
    return { path, rows };
  } catch (cause) {
    const reason = explain(cause, dir); // before `remove` frees the disk
    remove(partial);
    throw new Error(`no backup was made: ${reason}`, { cause });
  }
}

function explain(cause: unknown, dir: string): string {
  if (findDiskFailure(cause, join(dir, lockName))?.reason === 'disk_full')
    return `the disk of ${dir} is full`;
  return messageOf(cause);
}

/** Two backups may begin in the same second. */
function freeName(dir: string, begunAt: number): string {
  const time = new Date(begunAt).toISOString().replace(/\.\d+|[-:]/g, '');
  const name = `dropleaf-${time}`;
  return existsSync(join(dir, name)) ? freeName(dir, begunAt + 1_000) : name;
}

/** Without links: what a link of such a name leads to may be the data. */
function foldersIn(dir: string): string[] {
  const entries = readdirSync(dir, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Removes the oldest backups of the same data, but no folder with other contents or another name. @returns their paths */
function removeOldBackups(dir: string, dataDir: string, keep: number): string[] {
  const ours = foldersIn(dir)
    .filter((name) => backupName.test(name) && isBackupOf(dataDir, join(dir, name)))
    .sort()
    .map((name) => join(dir, name));
  return ours.slice(0, -keep).filter(remove);
}

function isBackupOf(dataDir: string, path: string): boolean {
  try {
    const facts = Object(JSON.parse(readFileSync(join(path, factsFile), 'utf8')));
    return facts.format === format && facts.dataDir === dataDir;
  } catch {
    return false;
  }
}

/** Removes our files, the facts last so that an interrupted removal is resumed next time. @returns whether the folder is gone */
function remove(path: string): boolean {
  const names = readdirSync(path).filter((name) => name.startsWith('dropleaf.sqlite') || isSecretFile(name));
  for (const name of [...names, factsFile]) rmSync(join(path, name), { force: true });
  if (readdirSync(path).length > 0) return false;
  rmdirSync(path);
  return true;
}

function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

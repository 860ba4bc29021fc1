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
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** `dropleaf-20261123T030000Z`: the time at which the backup began. */
const backupName = /^dropleaf-\d{8}T\d{6}Z$/;
const partialName = /^\.dropleaf-\d{8}T\d{6}Z\.partial$/;
const factsFile = 'backup.json';

/** What `backup.json` says. */
export interface BackupFacts {
  readonly format: 'dropleaf-backup-1';
  /** Only backups of the same folder are removed when there are too many. */
  readonly dataDir: string;
  readonly release: string;
  /** ISO 8601, UTC. */
  readonly begunAt: string;
  readonly rows: Readonly<Record<string, number>>;
}

/** A folder that gets its final name when it is complete. The caller has locked `dir`. */
export interface UnfinishedBackup {
  /** The folder as long as it is not finished. */
  readonly path: string;
  /** Copies a file, for this user alone. */
  copy(from: string, name: string): void;
  /** Writes the facts, flushes all files to the disk, and gives the folder its name. @returns its path */
  finish(facts: BackupFacts): string;
  /** Removes it. */
  discard(): void;
}

/** Begins a backup, and removes what an interrupted one has left. */
export function beginBackup(dir: string, begunAt: number): UnfinishedBackup {
  for (const name of foldersIn(dir)) if (partialName.test(name)) remove(join(dir, name));
  const name = freeName(dir, begunAt);
  const path = join(dir, `.${name}.partial`);
  mkdirSync(path, { mode: 0o700 });
  return {
    path,
    copy(from, file) {
      copyFileSync(from, join(path, file));
      chmodSync(join(path, file), 0o600);
    },
    finish(facts) {
      writeFileSync(join(path, factsFile), `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
      for (const file of readdirSync(path)) flush(join(path, file));
      flush(path);
      const final = join(dir, name);
      renameSync(path, final);
      flush(dir);
      return final;
    },
    discard: () => remove(path),
  };
}

/**
 * Removes the oldest backups of the same data. A folder that holds anything else, or has another name, stays.
 * @param keep how many backups stay
 * @returns the paths of those that were removed
 */
export function removeOldBackups(dir: string, dataDir: string, keep: number): string[] {
  const ours = foldersIn(dir)
    .filter((name) => backupName.test(name) && readFacts(join(dir, name))?.dataDir === dataDir)
    .sort()
    .map((name) => join(dir, name));
  return ours.slice(0, -keep).filter(remove);
}

/** Without links: what a link of such a name leads to may be the data. */
function foldersIn(dir: string): string[] {
  const entries = readdirSync(dir, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Two backups may begin in the same second. */
function freeName(dir: string, begunAt: number): string {
  const name = `dropleaf-${new Date(begunAt)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:]/g, '')}`;
  return existsSync(join(dir, name)) ? freeName(dir, begunAt + 1_000) : name;
}

/** null: it is not one of our backups. */
function readFacts(path: string): BackupFacts | null {
  try {
    const facts: unknown = JSON.parse(readFileSync(join(path, factsFile), 'utf8'));
    const isOurs = typeof facts === 'object' && facts !== null && 'format' in facts;
    return isOurs && facts.format === 'dropleaf-backup-1' ? (facts as BackupFacts) : null; // proof: we wrote it
  } catch {
    return null;
  }
}

/** Removes our files, the facts last so that an interrupted removal goes on next time. @returns whether the folder is gone */
function remove(path: string): boolean {
  const names = readdirSync(path).filter((name) =>
    /^(dropleaf\.sqlite|signing-secret|sign-in-key)/.test(name),
  );
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

import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Log } from '../../ports/log.ts';

/** Ours: the database and its side files, the lock, the secrets. */
const ours = /^(dropleaf\.sqlite|service\.lock|sign-in-key|signing-secret)/;
const others = 0o077;

/**
 * Takes the data away from other users of the machine: from each file of ours what they may do with it, and tells of
 * it, since they may have done it. The folder is only told of, because it may be somebody else's too.
 * @param dir an existing directory
 */
export function makePrivate(dir: string, log: Log): void {
  if ((modeOf(dir) & others) !== 0) {
    const fields = { dir: resolve(dir), mode: inOctal(modeOf(dir)) };
    log.warn(fields, 'other users of this machine can look into DATA_DIR: chmod 700 would keep them out');
  }
  for (const name of readdirSync(dir)) {
    if (ours.test(name)) takeFromOthers(join(dir, name), log);
  }
}

function takeFromOthers(path: string, log: Log): void {
  const mode = modeOf(path);
  if ((mode & others) === 0) return;
  const fields = { path: resolve(path), mode: inOctal(mode) };
  try {
    chmodSync(path, mode & ~others);
    log.warn(fields, 'other users of this machine could use a file of the data; now they cannot');
  } catch (err) {
    log.warn({ ...fields, err }, 'other users of this machine can use a file of the data, which is not ours');
  }
}

/** Of a file that has just gone: nothing that others may do. */
function modeOf(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o7777;
}

function inOctal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

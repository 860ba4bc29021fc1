import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, errorCode, fileError } from './errors.ts';

/** A process holds the lock for milliseconds, so an older one was left by a crash. */
const staleLockMs = 10_000;

/**
 * Changes a small text file atomically; processes change it one after the other. @param mode permissions of a new file
 * @param next its argument is null if there is no file. What it throws is thrown, and nothing is written
 * @throws CliError if another process keeps the lock, or the file cannot be read or written
 */
export async function changeFile(
  path: string,
  mode: number,
  next: (text: string | null) => string,
): Promise<void> {
  try {
    await change(path, mode, next);
  } catch (error) {
    throw error instanceof CliError ? error : fileError('write', path, error);
  }
}

async function change(path: string, mode: number, next: (text: string | null) => string): Promise<void> {
  const lock = `${path}.lock`;
  const waitUntil = Date.now() + 2 * staleLockMs;
  while (!takeLock(lock)) {
    if (Date.now() > waitUntil) {
      throw new CliError(`${lock} stays: if no other dropleaf runs, remove it and try again`);
    }
    await sleep(20);
  }
  // Synchronous from here to the end, so that a signal cannot leave the lock.
  try {
    replaceFile(path, mode, next(readText(path)));
  } finally {
    rmSync(lock, { force: true });
  }
}

/** @returns null if there is no such file @throws CliError if it cannot be read */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw fileError('read', path, error);
  }
}

function takeLock(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx', 0o600));
    return true;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    const since = lstatSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > staleLockMs) rmSync(lock, { force: true });
    return false;
  }
}

/** Replaces a file as a whole, or makes it. @param mode permissions of the new file @throws errors of Node */
export function replaceFile(path: string, mode: number, content: string | Uint8Array): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = openSync(temporary, 'wx', mode);
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

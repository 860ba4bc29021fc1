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
import { CliError } from './errors.ts';
import { errorCode, fileError } from './faults.ts';

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

/**
 * Without the byte order mark, which editors on Windows write. @returns null if there is no such file
 * @throws CliError if it cannot be read
 */
export function readText(path: string): string | null {
  try {
    return withoutMark(readFileSync(path, 'utf8'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw fileError('read', path, error);
  }
}

/** Without the byte order mark at its start. */
export function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
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

/** Makes a file that is not there; if it cannot be written, there is none. @throws errors of Node, also EEXIST */
export function createFile(path: string, content: string | Uint8Array): void {
  const file = openSync(path, 'wx');
  try {
    writeFileSync(file, content);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
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

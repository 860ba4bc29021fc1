import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes the file, and the folders above it, for this user alone, unless they are there. SQLite gives its side
 * files the same mode. A file that is there is not opened: closing it again would end this process's locks on it
 * (POSIX, fcntl).
 */
export function makePrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // proof: node:fs throws these
  }
}

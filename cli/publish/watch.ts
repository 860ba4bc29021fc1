import { watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { CliError } from '../errors.ts';

/** Editors write a file in several steps, or write another one and rename it. */
const quietMs = 150;

/**
 * Calls `onChange` at once and after changes, one call at a time; changes during a call are one more.
 * @param onChange resolves to the ms to wait before the next call, even without a change; null: none
 * @returns never; rejects with what `onChange` throws, or if the folder of the file can no longer be watched
 */
export function watchFile(file: string, onChange: () => Promise<number | null>): Promise<never> {
  const path = resolve(file);
  const name = basename(path).normalize('NFC');
  return new Promise((_resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    let isRunning = false;
    let hasChanged = false;
    let notBefore = 0;

    function schedule(): void {
      clearTimeout(timer);
      timer = setTimeout(run, Math.max(quietMs, notBefore - Date.now()));
    }

    function run(): void {
      isRunning = true;
      hasChanged = false;
      onChange().then((waitMs) => {
        isRunning = false;
        notBefore = Date.now() + (waitMs ?? 0);
        if (hasChanged || waitMs !== null) schedule();
      }, reject);
    }

    const fail = (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      reject(new CliError(`cannot watch ${dirname(path)}: ${reason}`, { cause: error }));
    };
    try {
      // The folder, because a watcher of the file would keep watching the old file after a rename.
      watch(dirname(path), (_event, changed) => {
        if (changed !== null && changed.normalize('NFC') !== name) return;
        hasChanged = true;
        if (!isRunning) schedule();
      }).on('error', fail);
      run();
    } catch (error) {
      fail(error); // as Linux does when too many files are watched
    }
  });
}

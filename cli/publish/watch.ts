import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { CliError } from '../errors.ts';

/** Editors write a file in several steps, or write another one and rename it. */
const quietMs = 150;

/** One publish of what is watched. */
export interface Watched {
  /** Ms to wait before the next one, even without a change; null: none. */
  readonly waitMs: number | null;
  /** The paths of the files that the page is made of; null: unknown, so that each change in their folders counts. */
  readonly files: readonly string[] | null;
}

/**
 * Calls `onChange` at once and after changes of the files, one call at a time; changes during a call are one more.
 * @param onChange gets the names of the files that changed; at first none
 * @returns never; rejects with what `onChange` throws, or if a folder can no longer be watched
 */
export function watchFiles(
  file: string,
  onChange: (changed: readonly string[]) => Promise<Watched>,
): Promise<never> {
  return new Promise((_resolve, reject) => {
    // The folders, because a watcher of a file would keep watching the old file after a rename.
    const folders = new Map<string, FSWatcher>();
    let files: ReadonlySet<string> | null = new Set([resolve(file)]);
    let timer: NodeJS.Timeout | undefined;
    let isRunning = false;
    let notBefore = 0;
    const changed = new Set<string>();

    function schedule(): void {
      clearTimeout(timer);
      timer = setTimeout(run, Math.max(quietMs, notBefore - Date.now()));
    }

    function run(): void {
      isRunning = true;
      const names = [...changed];
      changed.clear();
      onChange(names)
        .then((next) => {
          isRunning = false;
          notBefore = Date.now() + (next.waitMs ?? 0);
          files = next.files && new Set([file, ...next.files].map((path) => resolve(path)));
          for (const path of files ?? []) watchFolder(dirname(path));
          if (changed.size > 0 || next.waitMs !== null) schedule();
        })
        .catch(reject);
    }

    function note(folder: string, name: string | null): void {
      const isOurs = name === null || files === null || [...files].some((path) => isSame(path, folder, name));
      if (!isOurs) return;
      changed.add(name ?? basename(file));
      if (!isRunning) schedule();
    }

    function watchFolder(folder: string): void {
      if (folders.has(folder)) return;
      const fail = (error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        reject(new CliError(`cannot watch ${folder}: ${reason}`, { cause: error }));
      };
      try {
        folders.set(folder, watch(folder, (_event, name) => note(folder, name)).on('error', fail));
      } catch (error) {
        fail(error); // as Linux does when too many files are watched
      }
    }

    watchFolder(dirname(resolve(file)));
    run();
  });
}

/** Some disks have another normal form of a name. */
function isSame(path: string, folder: string, name: string): boolean {
  return dirname(path) === folder && basename(path).normalize('NFC') === name.normalize('NFC');
}

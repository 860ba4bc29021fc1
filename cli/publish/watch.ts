import { existsSync, type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { CliError } from '../errors.ts';

/** Editors write a file in several steps, or write another one and rename it. */
const quietMs = 150;

/** One publish of what is watched. */
export interface Watched {
  /** Ms to wait before the next one, even without a change; null: none. */
  readonly waitMs: number | null;
  /** The paths of the files that the page is made of, and of those that it misses. */
  readonly files: readonly string[];
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
    const folders = new Map<string, { readonly identity: string; readonly watcher: FSWatcher }>();
    let files: ReadonlySet<string> = new Set([resolve(file)]);
    let timer: NodeJS.Timeout | undefined;
    let isRunning = false;
    let notBefore = 0;
    /** The paths of what has changed since the last call began. */
    const changed = new Set<string>();

    function schedule(): void {
      clearTimeout(timer);
      timer = setTimeout(run, Math.max(quietMs, notBefore - Date.now()));
    }

    function run(): void {
      isRunning = true;
      const names = [...changed].map((path) => basename(path));
      changed.clear();
      onChange(names)
        .then((next) => {
          isRunning = false;
          notBefore = Date.now() + (next.waitMs ?? 0);
          files = new Set([file, ...next.files].map((path) => resolve(path)));
          for (const path of files) watchFolder(nearestFolder(path));
          for (const path of changed) if (!isPart(path)) changed.delete(path);
          if (changed.size > 0 || next.waitMs !== null) schedule();
        })
        .catch(reject);
    }

    const isPart = (place: string) => [...files].some((path) => isIn(place, path));

    /** What the page is made of is known after a call, so each change during one is noted. */
    function note(folder: string, name: string | null): void {
      const place = name === null ? resolve(file) : join(folder, name);
      if (!isRunning && !isPart(place)) return;
      changed.add(place);
      if (!isRunning) schedule();
    }

    function watchFolder(folder: string): void {
      const identity = identityOf(folder);
      const known = folders.get(folder);
      if (identity === null || known?.identity === identity) return;
      known?.watcher.close();
      const fail = (error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        reject(new CliError(`cannot watch ${folder}: ${reason}`, { cause: error }));
      };
      try {
        const watcher = watch(folder, (_event, name) => note(folder, name)).on('error', fail);
        folders.set(folder, { identity, watcher });
      } catch (error) {
        fail(error); // as Linux does when too many files are watched
      }
    }

    watchFolder(nearestFolder(resolve(file)));
    run();
  });
}

/** A build may replace a folder: its watcher stays with the one that is gone. null: there is no such folder. */
function identityOf(folder: string): string | null {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.ino} ${stats.birthtimeMs}`;
}

/** The folder that has the file or, if that is not there, the next one around it. */
function nearestFolder(path: string): string {
  const folder = dirname(path);
  return existsSync(folder) ? folder : nearestFolder(folder);
}

/** Whether a path is this file or folder, or in it. Some disks have another normal form of a name. */
function isIn(place: string, path: string): boolean {
  return `${path}${sep}`.normalize('NFC').startsWith(`${place}${sep}`.normalize('NFC'));
}

import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { refusal } from './errors.ts';
import { errorCode } from './faults.ts';
import { projectFileName } from './project-file.ts';
import { pathOfPage } from './publish/source.ts';

/** More are not looked at: a project has fewer, and a home folder more. */
export const maxFolders = 5_000;

const skipped = ['node_modules', '.git'];

interface Folders {
  /** Near ones first. */
  readonly folders: readonly string[];
  /** Whether there are more. */
  readonly isCut: boolean;
}

/**
 * A folder and those below it, but for `node_modules`, `.git`, what links lead to, which may be a circle, and folders that the
 * user may not read. Reads the names in them alone.
 */
export function foldersBelow(folder: string): Folders {
  const folders = [folder];
  // The list grows meanwhile.
  for (const parent of folders) {
    for (const name of subfoldersOf(parent)) {
      if (folders.length === maxFolders) return { folders, isCut: true };
      folders.push(join(parent, name));
    }
  }
  return { folders, isCut: false };
}

/** More is no `.dropleaf.json`: it has about 300 bytes for each file. */
const maxProjectBytes = 8 * 1024 * 1024;

/** Whether a folder has a `.dropleaf.json` that is a file of its own: a link may lead to a device that never ends. */
export function hasProjectFile(folder: string): boolean {
  try {
    const found = lstatSync(join(folder, projectFileName), { throwIfNoEntry: false });
    return found?.isFile() === true && found.size <= maxProjectBytes;
  } catch {
    return false; // as `subfoldersOf`
  }
}

/**
 * For the files that `.dropleaf.json` names in folders below the one that the user named: others may have made them, as in a
 * repository that was cloned, and a link would publish any file of this computer.
 * @throws CliError if the page of such a file is outside of the folder of its `.dropleaf.json`
 */
export function refuseLinkOut(folder: string, file: string): void {
  const own = resolve(dirname(file));
  if (own === resolve(folder)) return;
  const page = realPathOf(pathOfPage(file));
  const root = realPathOf(own);
  if (page === null || root === null || page.startsWith(root.endsWith(sep) ? root : root + sep)) return;
  throw refusal(`${file} is a link that leads out of its folder: to publish it, name it: publish ${file}`);
}

/** null: it is not there, or cannot be read, as its reader says. */
function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function subfoldersOf(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !skipped.includes(entry.name))
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    // Removed meanwhile, or of another user.
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(errorCode(error) ?? '')) return [];
    throw error;
  }
}

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from './faults.ts';

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

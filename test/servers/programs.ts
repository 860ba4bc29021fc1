import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first program of that name in the folders, or undefined. */
export function findProgram(name: string, folders: readonly string[]): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

/** The folders where the machine's programs are; those that only root is wont to run among them. */
export function programFolders(): string[] {
  return [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), '/usr/sbin'];
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // it is not there, or not for us
  }
}

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError } from './errors.ts';
import { fileError } from './faults.ts';
import { type Guard, isRecord, isText } from './guards.ts';
import { changeFile, readText } from './locked-file.ts';

/** A JSON file that only the user can read, with one entry for each service. Changed as `changeFile` does. */
export interface OriginFile<T> {
  readonly path: string;
  /** null: there is none. @throws CliError if the file is not valid */
  find(origin: string): T | null;
  /** @throws CliError if the file is not valid */
  origins(): string[];
  /** @throws CliError if the entry or the file is not valid, or the file cannot be written */
  save(origin: string, entry: T): Promise<void>;
  /** Removes the entry if `isMeant`: another process may have replaced it. @throws CliError: invalid, or not writable */
  remove(origin: string, isMeant: (entry: T) => boolean): Promise<void>;
}

type Entries<T> = Readonly<Record<string, T>>;

/** @param isEntry whether a value read from the file is an entry */
export function createOriginFile<T>(path: string, isEntry: Guard<T>): OriginFile<T> {
  const read = () => parse(readText(path));

  /** @param text null: there is no file */
  function parse(text: string | null): Entries<T> {
    if (text === null) return {};
    try {
      // White space at an end is of an editor: no value has any.
      const value: unknown = JSON.parse(text, (_key, member) => (isText(member) ? member.trim() : member));
      if (isRecord(value) && Object.values(value).every(isEntry)) return value as Entries<T>; // checked
    } catch {
      // the same message as for JSON of another shape
    }
    throw new CliError(`${path} is not valid: move it away, then sign in again. Nothing was changed`);
  }

  async function change(next: (entries: Entries<T>) => Entries<T>): Promise<void> {
    makeFolderOf(path);
    await changeFile(path, 0o600, (text) => `${JSON.stringify(next(parse(text)), null, 2)}\n`);
  }

  return {
    path,
    find: (origin) => read()[origin] ?? null,
    origins: () => Object.keys(read()),
    async save(origin, entry) {
      // One entry that is not valid would make the whole file unusable, with the sign-ins to other services.
      if (!isEntry(entry)) throw new CliError(`${origin} did not answer as a Dropleaf service does`);
      await change((entries) => ({ ...entries, [origin]: entry }));
    },
    async remove(origin, isMeant) {
      const known = read()[origin];
      if (known === undefined || !isMeant(known)) return;
      await change(({ [origin]: entry, ...others }) =>
        entry === undefined || isMeant(entry) ? others : { ...others, [origin]: entry },
      );
    },
  };
}

/** For the user alone. */
function makeFolderOf(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw fileError('write', path, error);
  }
}

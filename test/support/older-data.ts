import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { makePrivateFile } from '../../shared/sqlite/connection.ts';
import { knownDataForm } from '../../shared/sqlite/data-form.ts';

const migrations = new URL('../../shared/sqlite/migrations/', import.meta.url);

/** The database of a release before this one, of the form before the known one. @returns its path */
export function makeOlderData(dataDir: string): string {
  const path = join(dataDir, 'dropleaf.sqlite');
  makePrivateFile(path);
  const db = new DatabaseSync(path);
  db.exec('PRAGMA page_size = 16384; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL');
  db.function('fold', { varargs: true }, () => ''); // a migration calls it for each drop
  const names = readdirSync(migrations).sort();
  for (const name of names.slice(0, -1)) db.exec(readFileSync(new URL(name, migrations), 'utf8'));
  db.close();
  setForm(dataDir, knownDataForm() - 1);
  return path;
}

export function setForm(dataDir: string, form: number): void {
  const db = new DatabaseSync(join(dataDir, 'dropleaf.sqlite'));
  db.exec(`PRAGMA user_version = ${form}`);
  db.close();
}

export function formOf(dataDir: string): number {
  const db = new DatabaseSync(join(dataDir, 'dropleaf.sqlite'));
  const { user_version: form } = db.prepare('PRAGMA user_version').get();
  db.close();
  return form;
}

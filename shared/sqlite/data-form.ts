import { readdirSync, readFileSync } from 'node:fs';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { foldTexts } from '../drops/search.ts';

const migrations = new URL('./migrations/', import.meta.url);

/** The number of migrations of this release. */
export function knownDataForm(): number {
  return listMigrations().length;
}

/** 0: nothing has been stored yet. */
export function readDataForm(connection: DatabaseSyncInstance): number {
  return Number(connection.prepare('PRAGMA user_version').get().user_version);
}

/** @param mayBeOlder false for commands, which work beside a service of any release @throws Error that says what to do */
export function checkDataForm(connection: DatabaseSyncInstance, mayBeOlder: boolean): void {
  const form = readDataForm(connection);
  const known = knownDataForm();
  if (form > known) {
    throw new Error(
      `the data have form ${form} of a newer release, and this release knows forms up to ${known}; use the newer release, or restore the ` +
        'backup that was made before the upgrade',
    );
  }
  if (form === known || mayBeOlder) return;
  throw new Error(
    `the data have form ${form} of an older release, and this release needs form ${known}; nothing was changed. Use the command of the ` +
      'older release, or upgrade: make a backup with the older release, stop its service, then run "bin/dropleaf.js start" or ' +
      '"bin/dropleaf.js migrate" of this one',
  );
}

/**
 * Runs the scripts that the database has not had, in one transaction. They may call `fold`.
 * @param onCreate called in that transaction if the database had no form @returns the form that it had
 */
export function migrate(
  connection: DatabaseSyncInstance,
  onCreate?: (connection: DatabaseSyncInstance) => void,
): number {
  const known = knownDataForm();
  if (readDataForm(connection) >= known) return known;
  connection.function(
    'fold',
    { varargs: true },
    (title: string, description: string | null, metadata = '[]') =>
      foldTexts({ title, description, metadata: JSON.parse(metadata) }),
  );
  connection.exec('BEGIN IMMEDIATE'); // another process may migrate at the same moment
  try {
    const form = readDataForm(connection);
    for (const name of listMigrations().slice(form))
      connection.exec(readFileSync(new URL(name, migrations), 'utf8'));
    if (form === 0) onCreate?.(connection);
    if (form < known) connection.exec(`PRAGMA user_version = ${known}`);
    connection.exec('COMMIT');
    return form;
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

function listMigrations(): string[] {
  return readdirSync(migrations)
    .filter((name) => name.endsWith('.sql'))
    .sort();
}

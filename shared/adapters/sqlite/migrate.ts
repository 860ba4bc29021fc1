import { readdirSync, readFileSync } from 'node:fs';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';

interface Migration {
  readonly version: number;
  readonly sql: string;
}

/**
 * Brings the database to this release's form: runs each `0001-name.sql` of the folder that it has not had, in
 * order, all or none. Its `user_version` says which it has had.
 * @throws Error when a newer release has brought it further already
 */
export function migrate(connection: DatabaseSyncInstance, folder: URL): void {
  const migrations = readMigrations(folder);
  const newest = migrations.length;
  if (readVersion(connection) === newest) return;
  connection.exec('BEGIN IMMEDIATE'); // another process may be at the same
  try {
    const version = readVersion(connection);
    if (version > newest) {
      throw new Error(
        `it was written by a newer release (its form is ${version}, this release knows ${newest}): install that release`,
      );
    }
    for (const { sql } of migrations.slice(version)) connection.exec(sql);
    connection.exec(`PRAGMA user_version = ${newest}`);
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

function readVersion(connection: DatabaseSyncInstance): number {
  return Number(connection.prepare('PRAGMA user_version').get().user_version);
}

function readMigrations(folder: URL): Migration[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  return names.sort().map((name, index) => {
    const version = Number.parseInt(name, 10);
    if (version !== index + 1) throw new Error(`the migration ${name} is out of order`);
    return { version, sql: readFileSync(new URL(name, folder), 'utf8') };
  });
}

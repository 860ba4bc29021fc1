import { backup, DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { makePrivateFile } from '../sqlite/connection.ts';
import { checkDataForm } from '../sqlite/data-form.ts';
import { findDamage } from '../sqlite/database.ts';
import { unfinishedImportError } from './archive-store.ts';
import { unfinishedImportSql } from './sqlite.ts';

/** 16 MB of the database per step. */
const pagesPerStep = 1_024;

/** The number of rows by table. */
export type RowCounts = Readonly<Record<string, number>>;

/**
 * Copies a database with SQLite's online backup and checks the copy. One read transaction covers all of it: without it, writes
 * of other processes would restart the backup. Until it is complete the WAL grows. @param to a new file; it uses no WAL
 * @returns the number of rows of each table, which both have
 * @throws Error of one sentence if the form is another, an import is unfinished, or the copy differs; SQLite's error
 */
export async function copyDatabase(from: string, to: string): Promise<RowCounts> {
  makePrivateFile(to);
  const source = new DatabaseSync(from, { readOnly: true });
  let counts: RowCounts;
  try {
    source.exec('PRAGMA busy_timeout = 5000; BEGIN');
    checkDataForm(source, false);
    const unfinished = source.prepare(unfinishedImportSql).get();
    if (unfinished !== undefined) throw unfinishedImportError(unfinished);
    counts = countRows(source);
    await backup(source, to, { rate: pagesPerStep });
  } finally {
    source.close();
  }
  check(to, counts);
  return counts;
}

function check(path: string, expected: RowCounts): void {
  const copy = new DatabaseSync(path);
  try {
    copy.exec('PRAGMA journal_mode = DELETE');
    const damage = findDamage(copy);
    if (damage.length > 0) {
      throw new Error(
        `the copy is damaged, and perhaps the data too (${damage.slice(0, 3).join('; ')}): keep your older backups`,
      );
    }
    const counts = countRows(copy);
    const differing = Object.keys(expected).filter((table) => counts[table] !== expected[table]);
    if (differing.length > 0) throw new Error(`the copy lacks rows of ${differing.join(', ')}`);
  } finally {
    copy.close();
  }
}

function countRows(database: DatabaseSyncInstance): RowCounts {
  const tables: { name: string }[] = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .all();
  return Object.fromEntries(
    tables.map(({ name }) => [name, database.prepare(`SELECT count(*) AS count FROM "${name}"`).get().count]),
  );
}

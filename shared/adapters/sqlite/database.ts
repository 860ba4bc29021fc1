import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { unavailable } from '../../domain/errors.ts';
import type { Log } from '../../ports/log.ts';
import { createCheckpoints } from './checkpoints.ts';
import { migrate } from './migrate.ts';
import { makePrivateFile } from './private-file.ts';
import { createWriteGroup } from './write-group.ts';

export type Value = string | number | null | Uint8Array;
type Values = readonly Value[] | readonly [Readonly<Record<string, Value>>];

/** A compiled statement. Values are given in order (`?`), or as one object (`$name`), which costs a little more. */
export interface Statement {
  run(...values: Values): { changes: number };
  /** The first row; undefined: none. */
  get(...values: Values): unknown;
  all(...values: Values): unknown[];
}

/**
 * An open database. Reading is synchronous and sees what is committed. What changes data is called inside
 * `write`, and only there.
 */
export interface Database {
  /** Compiles a statement: once for each, where the adapter is made. */
  prepare(sql: string): Statement;

  /** The same for rows as arrays, which are made in two thirds of the time. */
  prepareTuples(sql: string): Statement;

  /**
   * Runs the synchronous `work` in one transaction with the other writes of this turn of the event loop. What it
   * throws undoes it alone and rejects the promise.
   * @returns what `work` returned, once it is on the disk
   * @throws DropError `unavailable` when another process holds the database for too long, or it is closed
   */
  write<T>(work: () => T): Promise<T>;

  /** @throws DropError `unavailable` when it cannot be read */
  check(): void;

  /** What SQLite's integrity check finds wrong: nothing in a sound database. Reads all of it. */
  findDamage(): string[];

  /**
   * Does the writes that were asked for, moves the log into the file and closes. A second call does nothing. An
   * empty log may stay behind: the library lets go of the files when the statements are collected.
   */
  close(): Promise<void>;
}

/**
 * `synchronous = FULL`: a write that was answered survives a power cut, which NORMAL does not promise in WAL mode;
 * with group commit the difference is small. The page size suits blobs; it and auto_vacuum hold from the first
 * table on. `secure_delete = ON` overwrites what is deleted with zeros; FAST would leave whole freed pages as they
 * were, and those are where documents are. In WAL mode the log may keep old pages until later writes overwrite it or
 * the database is closed. The cache is small, since the system's own holds the file. Checkpoints are a thread's
 * (checkpoints.ts); the connection does its own only where the log has grown to 128 MB for want of them.
 */
const settings = `
  PRAGMA busy_timeout = 5000;
  PRAGMA page_size = 16384;
  PRAGMA auto_vacuum = INCREMENTAL;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA secure_delete = ON;
  PRAGMA cache_size = -8192;
  PRAGMA temp_store = MEMORY;
  PRAGMA wal_autocheckpoint = 8192;
  PRAGMA journal_size_limit = 33554432;
`;

const migrations = new URL('./migrations/', import.meta.url);

/**
 * Opens the database, made where there is none, and brings it to this release's form.
 * @param log told of what goes wrong beside the calls
 * @throws Error that says in one sentence what is in the way
 */
export function openDatabase(path: string, log?: Pick<Log, 'warn'>): Database {
  const connection = connect(path);
  const group = createWriteGroup(connection);
  const checkpoints = createCheckpoints(path, (error) =>
    log?.warn(
      { err: error },
      'the log of the database could not be moved into its file; it will be tried again',
    ),
  );
  let closing: Promise<void> | undefined;
  const probe = connection.prepare('SELECT 1 FROM drops LIMIT 1');

  function prepare(sql: string, asArrays: boolean): Statement {
    const statement = connection.prepare(sql);
    statement.setReturnArrays(asArrays);
    // These closures hold the connection too: one that only statements refer to is collected and closed.
    return {
      run: (...values) => statement.run(...values),
      get: (...values) => statement.get(...values),
      all: (...values) => statement.all(...values),
    };
  }

  async function close(): Promise<void> {
    try {
      group.close();
      await checkpoints.close();
      connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      connection.close();
    }
  }

  return {
    prepare: (sql) => prepare(sql, false),
    prepareTuples: (sql) => prepare(sql, true),
    write(work) {
      checkpoints.noteWrite();
      return group.write(work);
    },

    check() {
      try {
        probe.get();
      } catch (error) {
        throw unavailable('The database cannot be read.', 1, { cause: error });
      }
    },

    findDamage() {
      const rows: { integrity_check: string }[] = connection.prepare('PRAGMA integrity_check').all();
      return rows.map((row) => row.integrity_check).filter((line) => line !== 'ok');
    },

    close() {
      closing ??= close();
      return closing;
    },
  };
}

function connect(path: string): DatabaseSyncInstance {
  let connection: DatabaseSyncInstance | undefined;
  try {
    makePrivateFile(path);
    connection = new DatabaseSync(path);
    connection.exec(settings);
    migrate(connection, migrations);
    return connection;
  } catch (cause) {
    connection?.close();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The database ${path} cannot be opened: ${reason}`, { cause });
  }
}

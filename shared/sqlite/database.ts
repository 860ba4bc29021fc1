import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { storeIsNewer, unavailable } from '../domain/errors.ts';
import type { FlushObserver, TransactionObserver } from '../metrics/metrics.ts';
import { Checkpoints } from './checkpoints.ts';
import { busyMs, connect, notUsable } from './connection.ts';
import { knownDataForm, readDataForm } from './data-form.ts';
import { type DiskReports, DiskWatch } from './disk-watch.ts';
import { WalFlush, type WalFlushDeps } from './wal-flush.ts';
import { WriteGroup } from './write-group.ts';

export type Value = string | number | null | Uint8Array;
export type Values = readonly Value[] | readonly [Readonly<Record<string, Value>>];

/** A compiled statement that selects `Row`s. Values are positional (`?`) or one object (`$name`). */
export interface Statement<Row = unknown> {
  run(...values: Values): { changes: number };
  /** The first row; undefined: none. */
  get(...values: Values): Row | undefined;
  all(...values: Values): Row[];
}

/** The database at one moment, on a connection of its own. */
export interface Snapshot extends Pick<Database, 'prepareTuples' | 'prepare'> {
  close(): void;
}

/** Reads are synchronous and see what is committed. Statements that write run inside `write`. */
export interface Database {
  /** Call it once, when the adapter is created. */
  prepare<Row = unknown>(sql: string): Statement<Row>;

  /** Like `prepare`, but rows are arrays, which takes two thirds of the time. */
  prepareTuples<Row = unknown>(sql: string): Statement<Row>;

  /**
   * Runs the synchronous `work` in one transaction with the other writes of this turn of the event loop, and resolves once it is
   * on the disk; readers may see it some milliseconds earlier. If it throws, only its own changes are undone. It may run twice: it
   * must only read and change the database.
   * @throws DropError `unavailable` if the database is locked or closed, or the disk does not accept the write; if the disk failed
   * after the commit, the change stays and may be lost by a power cut
   */
  write<T>(work: () => T): Promise<T>;

  /** Like `write`, for what is made again: it resolves with the commit, and a power cut may undo it until a later `write`. */
  writeDerived<T>(work: () => T): Promise<T>;

  /**
   * Runs an act of an operator, which also a full disk has room for: it frees what `keepReserve` has kept. The writes of others
   * are tried meanwhile, too.
   */
  urgently<T>(work: () => Promise<T>): Promise<T>;

  /** Keeps a megabyte of the disk for urgent acts, if there is enough. A service calls it again and again. */
  keepReserve(): void;

  /** How often a write was committed and then refused, because the disk failed before it had it. */
  countUncertain(): number;

  /** @throws DropError `unavailable` if the data cannot be read or are of a newer release, or the disk accepts no writes */
  check(): void;

  /** What is committed now. Until it is closed, the WAL grows by all writes. */
  openSnapshot(): Snapshot;

  /** The faults that SQLite's integrity check finds. Reads the whole database. */
  findDamage(): string[];

  /** Finishes pending writes, checkpoints the WAL unless another program does, and closes. May be called twice. */
  close(): Promise<void>;
}

/** What the database reports of itself: a service logs it, a command does not. */
export interface DatabaseReports extends DiskReports {
  /** The next checkpoint repeats it. */
  checkpointFailed?(err: unknown): void;
  /** The form of existing data was changed. */
  migrated?(from: number, to: number): void;
  /** Another program should make the checkpoints and does not; called after each write. */
  walIsLong?(bytes: number): void;
  readonly onTransaction?: TransactionObserver | undefined;
  readonly onFlush?: FlushObserver | undefined;
  /** Called for each read outside of a write that SQLite refuses. */
  readonly onFailedRead?: (() => void) | undefined;
}

interface DatabaseOptions {
  readonly reports?: DatabaseReports;
  /** Another program copies the WAL into the file. */
  readonly hasExternalCheckpoints?: boolean;
  /** false: opens only the form of this release. */
  readonly mayMigrate?: boolean;
  /** Called in the transaction that creates the tables. */
  readonly onCreate?: ((connection: DatabaseSyncInstance) => void) | undefined;
  /** Called instead of the flush of the log, which it gets: tests hold it back or let it fail. */
  readonly flush?: (flush: () => Promise<void>) => Promise<void>;
}

/** Opens or creates the database and migrates it. @throws Error that says what to do */
export function openDatabase(path: string, options: DatabaseOptions = {}): Database {
  const { reports, hasExternalCheckpoints = false, mayMigrate = true, onCreate } = options;
  const onMigration = mayMigrate ? (from: number, to: number) => reports?.migrated?.(from, to) : null;
  const connection = connect(path, onMigration, onCreate);
  if (hasExternalCheckpoints) connection.exec('PRAGMA wal_autocheckpoint = 0');
  return new SqliteDatabase(path, connection, options);
}

/** One open file of SQLite, on one connection. */
class SqliteDatabase implements Database {
  readonly #path: string;
  readonly #connection: DatabaseSyncInstance;
  readonly #isExternal: boolean;
  readonly #disk: DiskWatch;
  readonly #checkpoints: Checkpoints;
  readonly #wal: WalFlush;
  readonly #group: WriteGroup;
  readonly #onFailedRead: (() => void) | undefined;
  readonly #probe;
  readonly #knownForm = knownDataForm();
  #closing: Promise<void> | undefined;

  constructor(path: string, connection: DatabaseSyncInstance, options: DatabaseOptions) {
    const { reports = {}, hasExternalCheckpoints = false, mayMigrate = true, flush } = options;
    this.#path = path;
    this.#connection = connection;
    this.#isExternal = hasExternalCheckpoints;
    this.#disk = new DiskWatch(path, reports);
    this.#checkpoints = new Checkpoints(path, {
      isExternal: hasExternalCheckpoints,
      onError: (err) => {
        if (!this.#wal.noteFailedCheckpoint(err)) reports.checkpointFailed?.(err);
      },
      onLongWal: (bytes) => reports.walIsLong?.(bytes),
    });
    const deps = { path, connection, disk: this.#disk, checkpoints: this.#checkpoints };
    this.#wal = openWal({ ...deps, flush, onFlush: reports.onFlush }, mayMigrate);
    this.#group = new WriteGroup(connection, this.#disk, this.#wal, reports.onTransaction);
    this.#onFailedRead = reports.onFailedRead;
    this.#probe = connection.prepare('SELECT 1 FROM drops LIMIT 1');
  }

  prepare<Row>(sql: string): Statement<Row> {
    return prepare(this.#connection, sql, 'objects', this.#onFailedRead);
  }

  prepareTuples<Row>(sql: string): Statement<Row> {
    return prepare(this.#connection, sql, 'arrays', this.#onFailedRead);
  }

  write<T>(work: () => T): Promise<T> {
    this.#checkpoints.noteWrite();
    return this.#group.write(work, false);
  }

  writeDerived<T>(work: () => T): Promise<T> {
    this.#checkpoints.noteWrite();
    return this.#group.write(work, true);
  }

  urgently<T>(work: () => Promise<T>): Promise<T> {
    return this.#disk.urgently(work);
  }

  keepReserve(): void {
    this.#disk.keepReserve();
  }

  countUncertain(): number {
    return this.#wal.failures;
  }

  check(): void {
    if (this.#readForm() > this.#knownForm) throw storeIsNewer();
    this.#disk.check();
  }

  openSnapshot(): Snapshot {
    const reader = new DatabaseSync(this.#path, { readOnly: true, timeout: busyMs });
    reader.exec('BEGIN');
    reader.prepare('SELECT 1 FROM drops LIMIT 1').get(); // the first read of a transaction fixes what it sees
    return {
      prepare: (sql) => prepare(reader, sql, 'objects'),
      prepareTuples: (sql) => prepare(reader, sql, 'arrays'),
      close() {
        reader.exec('COMMIT'); // closing does not end it, as long as there are statements
        reader.close();
      },
    };
  }

  findDamage(): string[] {
    return findDamage(this.#connection);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** @throws DropError `unavailable` if the data cannot be read */
  #readForm(): number {
    try {
      this.#probe.get();
      return readDataForm(this.#connection);
    } catch (error) {
      const options = { cause: error, reason: 'database_unreachable' } as const;
      throw unavailable('The database cannot be read.', 1, options);
    }
  }

  async #close(): Promise<void> {
    try {
      this.#group.close();
      await this.#checkpoints.close(); // first: one that fails makes the log be written again
      await this.#wal.close();
      if (!this.#isExternal) this.#truncateWal();
    } finally {
      this.#connection.close();
    }
  }

  /** A full disk may have no space for it: then the WAL stays, and the next process that opens the file uses it. */
  #truncateWal(): void {
    try {
      this.#connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch (error) {
      if (this.#disk.failed(error) === null) throw error;
    }
  }
}

/** @param isOwner no other service has the file, so the log may be written again @throws Error that says what to do */
function openWal(deps: WalFlushDeps, isOwner: boolean): WalFlush {
  try {
    const wal = new WalFlush(deps);
    wal.flushAtStart(isOwner);
    return wal;
  } catch (cause) {
    deps.connection.close();
    throw notUsable(deps.path, 'opened', cause);
  }
}

export function findDamage(connection: DatabaseSyncInstance): string[] {
  const rows: { integrity_check: string }[] = connection.prepare('PRAGMA integrity_check').all();
  return rows.map((row) => row.integrity_check).filter((line) => line !== 'ok');
}

/** @param onFailedRead a write that fails is reported with its transaction */
function prepare<Row>(
  connection: DatabaseSyncInstance,
  sql: string,
  rows: 'objects' | 'arrays',
  onFailedRead: () => void = () => undefined,
): Statement<Row> {
  const statement = connection.prepare(sql);
  statement.setReturnArrays(rows === 'arrays');

  function rethrow(error: unknown): never {
    if (!connection.isTransaction) onFailedRead();
    throw error;
  }

  // These closures keep the connection: the library closes one that only statements refer to.
  return {
    run: (...values) => statement.run(...values),
    get(...values) {
      try {
        return statement.get(...values) as Row | undefined; // proof: what the caller selects
      } catch (error) {
        return rethrow(error);
      }
    },
    all(...values) {
      try {
        return statement.all(...values) as Row[]; // proof: as above
      } catch (error) {
        return rethrow(error);
      }
    },
  };
}

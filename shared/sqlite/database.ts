import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { storeIsNewer, unavailable } from '../domain/errors.ts';
import type { FlushObserver, TransactionObserver } from '../metrics/metrics.ts';
import { createCheckpoints } from './checkpoints.ts';
import { busyMs, connect, notUsable } from './connection.ts';
import { knownDataForm, readDataForm } from './data-form.ts';
import { createDiskWatch, type DiskFailure } from './disk-watch.ts';
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
export interface DatabaseReports {
  /** The next checkpoint repeats it. */
  checkpointFailed?(err: unknown): void;
  /** The form of existing data was changed. */
  migrated?(from: number, to: number): void;
  /** Called for each write that the disk refuses. */
  diskFailed?(failure: DiskFailure): void;
  diskRecovered?(): void;
  /** Another program should make the checkpoints and does not; called after each write. */
  walIsLong?(bytes: number): void;
  readonly onTransaction?: TransactionObserver | undefined;
  readonly onFlush?: FlushObserver | undefined;
  /** Called for each read outside of a write that SQLite refuses. */
  readonly onFailedRead?: (() => void) | undefined;
}

/**
 * Opens or creates the database and migrates it. @param hasExternalCheckpoints another program copies the WAL into the file
 * @param mayMigrate false: opens only the form of this release @param onCreate called in the transaction that creates the
 * tables @param flush called instead of the flush of the log, which it gets: tests hold it back or let it fail
 * @throws Error that says what to do
 */
export function openDatabase(
  path: string,
  {
    reports = {},
    hasExternalCheckpoints: isExternal = false,
    mayMigrate = true,
    onCreate,
    flush,
  }: {
    reports?: DatabaseReports;
    hasExternalCheckpoints?: boolean;
    mayMigrate?: boolean;
    onCreate?: ((connection: DatabaseSyncInstance) => void) | undefined;
    flush?: (flush: () => Promise<void>) => Promise<void>;
  } = {},
): Database {
  const onMigration = mayMigrate ? (from: number, to: number) => reports.migrated?.(from, to) : null;
  const connection = connect(path, onMigration, onCreate);
  if (isExternal) connection.exec('PRAGMA wal_autocheckpoint = 0');
  const disk = createDiskWatch(path, reports);
  const checkpoints = createCheckpoints(path, {
    isExternal,
    onError(err) {
      if (!wal.noteFailedCheckpoint(err)) reports.checkpointFailed?.(err);
    },
    onLongWal: (bytes) => reports.walIsLong?.(bytes),
  });
  const deps = { path, connection, disk, checkpoints, flush, onFlush: reports.onFlush };
  const wal = openWal(deps, mayMigrate);
  const group = new WriteGroup(connection, disk, wal, reports.onTransaction);
  const known = knownDataForm();
  let closing: Promise<void> | undefined;
  const probe = connection.prepare('SELECT 1 FROM drops LIMIT 1');

  function write<T>(work: () => T, isDerived: boolean): Promise<T> {
    checkpoints.noteWrite();
    return group.write(work, isDerived);
  }

  async function close(): Promise<void> {
    try {
      group.close();
      await checkpoints.close(); // first: one that fails makes the log be written again
      await wal.close();
      if (!isExternal) truncateWal();
    } finally {
      connection.close();
    }
  }

  /** A full disk may have no space for it: then the WAL stays, and the next process that opens the file uses it. */
  function truncateWal(): void {
    try {
      connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch (error) {
      if (disk.failed(error) === null) throw error;
    }
  }

  return {
    ...statementsOf(connection, reports.onFailedRead),
    write: (work) => write(work, false),
    writeDerived: (work) => write(work, true),
    urgently: disk.urgently,
    keepReserve: disk.keepReserve,
    countUncertain: () => wal.failures,

    check() {
      let form: number;
      try {
        probe.get();
        form = readDataForm(connection);
      } catch (error) {
        const options = { cause: error, reason: 'database_unreachable' } as const;
        throw unavailable('The database cannot be read.', 1, options);
      }
      if (form > known) throw storeIsNewer();
      disk.check();
    },

    openSnapshot() {
      const reader = new DatabaseSync(path, { readOnly: true, timeout: busyMs });
      reader.exec('BEGIN');
      reader.prepare('SELECT 1 FROM drops LIMIT 1').get(); // the first read of a transaction fixes what it sees
      return {
        ...statementsOf(reader),
        close() {
          reader.exec('COMMIT'); // closing does not end it, as long as there are statements
          reader.close();
        },
      };
    },

    findDamage: () => findDamage(connection),

    close() {
      closing ??= close();
      return closing;
    },
  };
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

function statementsOf(
  connection: DatabaseSyncInstance,
  onFailedRead: () => void = () => undefined,
): Pick<Database, 'prepare' | 'prepareTuples'> {
  /** A write that fails is reported with its transaction. */
  function rethrow(error: unknown): never {
    if (!connection.isTransaction) onFailedRead();
    throw error;
  }

  function prepare<Row>(sql: string, asArrays: boolean): Statement<Row> {
    const statement = connection.prepare(sql);
    statement.setReturnArrays(asArrays);
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
  return {
    prepare: (sql) => prepare(sql, false),
    prepareTuples: (sql) => prepare(sql, true),
  };
}

import { resolve } from 'node:path';
import type { UnfinishedImport } from '../archives/archive-store.ts';
import { beginImportSql, SqliteArchives } from '../archives/sqlite.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../domain/clock.ts';
import { SqliteJobQueue } from '../jobs/sqlite.ts';
import { MemoryRateLimiter } from '../limits/memory.ts';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { FileSecrets } from '../secrets/files.ts';
import { databaseFile, requireData, takeDataDir } from '../sqlite/data-dir.ts';
import { type Database, type DatabaseReports, openDatabase } from '../sqlite/database.ts';
import { readFileSizes } from '../sqlite/disk-watch.ts';
import { createSqliteStores } from '../sqlite/stores.ts';
import { messageOf } from '../util/error-texts.ts';
import type { Engine } from './engine.ts';

/** An act of an operator may have freed it. */
const reserveEveryMs = 60_000;

/**
 * A `service` and an import create and lock the data directory and migrate the database; a `command` works on existing data of
 * this release's form, also beside a service. Only an import works on data of an unfinished import, whose mark it creates.
 */
export type Role = 'service' | 'command' | UnfinishedImport;

/** SQLite in `DATA_DIR`, jobs and limits in this process. @throws Error of one sentence */
export function openEmbeddedEngine(deps: {
  config: Pick<Config, 'DATA_DIR' | 'SQLITE_CHECKPOINTS' | 'JOBS_AT_ONCE'>;
  clock: Clock;
  log: Log;
  role: Role;
  metrics: Pick<Metrics, 'stores'> | null;
}): Engine {
  const { config, clock, log, role, metrics } = deps;
  if (role === 'command') requireData(config.DATA_DIR);
  const lock = role === 'command' ? null : takeDataDir(config.DATA_DIR, log);
  const file = databaseFile(config.DATA_DIR);
  const reports = createReports(config.DATA_DIR, log);
  const db = openDatabase(file, {
    mayMigrate: role !== 'command',
    onCreate: (connection) => {
      if (typeof role === 'object') connection.prepare(beginImportSql).run(role.archiveId, role.begunAt);
    },
    reports: {
      ...reports,
      onTransaction: metrics?.stores.sqliteTransaction,
      onFlush: metrics?.stores.sqliteFlush,
      onFailedRead: metrics?.stores.sqliteReadFailed,
    },
    hasExternalCheckpoints: config.SQLITE_CHECKPOINTS === 'external',
  });
  metrics?.stores.watchFiles(() => readFileSizes(file));
  const stores = createSqliteStores(db, clock);
  const stopKeeping = role === 'service' ? keepReserve(db) : () => undefined;
  return {
    ...stores,
    secrets: new FileSecrets(config.DATA_DIR),
    archive: new SqliteArchives(db, clock),
    rateLimiter: new MemoryRateLimiter(),
    jobs: new SqliteJobQueue({ db, clock, log, concurrency: config.JOBS_AT_ONCE }),
    urgently: (act) => db.urgently(act),
    ready: async () => db.check(),
    async close() {
      stopKeeping();
      await db.close();
      lock?.release();
    },
  };
}

/** @returns a function that stops it */
function keepReserve(db: Pick<Database, 'keepReserve'>): () => void {
  db.keepReserve();
  const timer = setInterval(() => db.keepReserve(), reserveEveryMs).unref();
  return () => clearInterval(timer);
}

/** Migrates the database if no service or import uses it. @throws Error of one sentence */
export async function migrateEmbeddedEngine({ DATA_DIR }: Pick<Config, 'DATA_DIR'>, log: Log): Promise<void> {
  requireData(DATA_DIR);
  const lock = takeDataDir(DATA_DIR, log);
  try {
    await openDatabase(databaseFile(DATA_DIR), { reports: createReports(DATA_DIR, log) }).close();
  } finally {
    lock.release();
  }
}

function createReports(dataDir: string, log: Log): DatabaseReports {
  return {
    migrated: (from, to) => log.info({ from, to, dataDir: resolve(dataDir) }, 'the database has a new form'),
    checkpointFailed: (err) => log.warn({ err }, 'checkpoint of the database failed; it will be retried'),
    diskFailed: ({ reason, freeBytes, err }) =>
      log.warn(
        { reason, freeBytes, dataDir: resolve(dataDir), error: messageOf(err) },
        'the disk of DATA_DIR does not accept writes: they are answered 503, reads continue. Free space on it, or repair it; the ' +
          'service then continues by itself',
      ),
    diskRecovered: () => log.info({}, 'the disk of DATA_DIR accepts writes again'),
    walIsLong: (walBytes) =>
      log.warn(
        { walBytes },
        'the write-ahead log of the database is long: SQLITE_CHECKPOINTS=external leaves it to Litestream, which does not seem to ' +
          'run; from 1 GB on this process shortens it itself, and Litestream then begins with a new snapshot',
      ),
  };
}

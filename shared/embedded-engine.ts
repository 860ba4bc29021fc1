import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makePrivate } from './adapters/files/private-modes.ts';
import { createFileSecretStore } from './adapters/files/secret-store.ts';
import { createMemoryRateLimiter } from './adapters/memory/rate-limiter.ts';
import { lockDataDir } from './adapters/sqlite/data-dir-lock.ts';
import { openDatabase } from './adapters/sqlite/database.ts';
import { createSqliteJobQueue } from './adapters/sqlite/job-queue.ts';
import { createSqliteStores } from './adapters/sqlite/stores.ts';
import type { Clock } from './ports/clock.ts';
import type { Engine } from './ports/engine.ts';
import type { Log } from './ports/log.ts';

/** How long a job may be silent before another may take it up. */
const leaseMs = 30_000;

/**
 * A `service` has the data directory for itself, and makes it where there is none; a `command` works on what a service
 * has made, beside one that may be running.
 */
export type Role = 'service' | 'command';

/**
 * The engine of one machine: SQLite in `DATA_DIR`, jobs and limits in this process.
 * @throws Error that says in one sentence what is in the way
 */
export function openEmbeddedEngine(deps: {
  config: { readonly DATA_DIR: string; readonly JOBS_AT_ONCE: number };
  clock: Clock;
  log: Log;
  role: Role;
}): Engine {
  const { config, clock, log, role } = deps;
  const file = join(config.DATA_DIR, 'dropleaf.sqlite');
  if (role === 'service') makeDataDir(config.DATA_DIR);
  else requireData(config.DATA_DIR, file);
  const lock = role === 'service' ? lockDataDir(config.DATA_DIR) : null;
  if (lock !== null) makePrivate(config.DATA_DIR, log);
  const db = openDatabase(file, log);
  return {
    ...createSqliteStores(db),
    secrets: createFileSecretStore(config.DATA_DIR),
    rateLimiter: createMemoryRateLimiter(),
    jobs: createSqliteJobQueue({ db, clock, log, concurrency: config.JOBS_AT_ONCE, leaseMs }),
    ready: async () => db.check(),
    async close() {
      await db.close();
      lock?.release();
    },
  };
}

function makeDataDir(dir: string): void {
  try {
    makeDir(resolve(dir));
    accessSync(dir, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`DATA_DIR ${dir} cannot be made or written to: ${reason}`, { cause });
  }
}

/** A mistyped DATA_DIR must not become a second, empty store. */
function requireData(dir: string, file: string): void {
  try {
    accessSync(dir, constants.W_OK | constants.X_OK);
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : null;
    const where = `${resolve(dir)} (DATA_DIR)`;
    const message =
      code === 'ENOENT' || code === 'ENOTDIR'
        ? `no Dropleaf data in ${where}: start the service once, or set DATA_DIR to where its data is`
        : `this user may not write to ${where}: run the command as the user that the service runs as`;
    throw new Error(message, { cause });
  }
}

/** With its parents. Not by `recursive`, which never returns where a file system (/proc) refuses with ENOENT. */
function makeDir(dir: string): void {
  if (existsSync(dir)) return;
  makeDir(dirname(dir));
  mkdirSync(dir, { mode: 0o700 });
}

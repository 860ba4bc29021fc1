import { createFileSecretStore } from './adapters/files/secret-store.ts';
import { createMemoryRateLimiter } from './adapters/memory/rate-limiter.ts';
import { databaseFile, requireData, takeDataDir } from './adapters/sqlite/data-dir.ts';
import { openDatabase } from './adapters/sqlite/database.ts';
import { createSqliteJobQueue } from './adapters/sqlite/job-queue.ts';
import { createSqliteStores } from './adapters/sqlite/stores.ts';
import type { Clock } from './ports/clock.ts';
import type { Engine } from './ports/engine.ts';
import type { Log } from './ports/log.ts';

/** After this long without a renewal, another worker may take the job. */
const leaseMs = 30_000;

/** A `service` creates and locks the data directory; a `command` works on existing data, also beside a service. */
export type Role = 'service' | 'command';

/**
 * SQLite in `DATA_DIR`, jobs and limits in this process.
 * @throws Error of one sentence
 */
export function openEmbeddedEngine(deps: {
  config: { readonly DATA_DIR: string; readonly JOBS_AT_ONCE: number };
  clock: Clock;
  log: Log;
  role: Role;
}): Engine {
  const { config, clock, log, role } = deps;
  const lock = role === 'service' ? takeDataDir(config.DATA_DIR, log) : null;
  if (role === 'command') requireData(config.DATA_DIR);
  const db = openDatabase(databaseFile(config.DATA_DIR), log);
  return {
    ...createSqliteStores(db, clock),
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

import { join } from 'node:path';
import { SqliteJobQueue } from '../../shared/jobs/sqlite.ts';
import { type Database, openDatabase } from '../../shared/sqlite/database.ts';
import { createTestClock, type TestClock } from '../support/clock.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { createRecordingLog } from '../worker/recording-log.ts';
import { createHangingProcesses, type JobFixture, type JobProcess } from './job-fixture.ts';

interface ProcessOptions {
  readonly concurrency?: number;
  /** The process has the system's clock and runs jobs by itself, not only during `settle`. */
  readonly wakesItself?: boolean;
  readonly pollMs?: number;
  readonly db?: Database;
}

export interface SqliteJobFixture extends JobFixture {
  readonly clock: TestClock;
  readonly db: Database;
  openProcess(options?: ProcessOptions): Promise<JobProcess & { readonly queue: SqliteJobQueue }>;
}

/** A database file; each process has a connection of its own. */
export async function openSqliteJobFixture(): Promise<SqliteJobFixture> {
  const path = join(makeTempDir(), 'jobs.sqlite');
  const clock = createTestClock(Date.now());
  const opened: Database[] = [];
  const awake: SqliteJobQueue[] = [];
  const hanging = createHangingProcesses({ path });
  const db = open();

  function open(): Database {
    const database = openDatabase(path);
    opened.push(database);
    return database;
  }

  return {
    clock,
    db,
    report: new SqliteJobQueue({ db, clock, log: createRecordingLog(), concurrency: 1 }),

    now: () => clock.now(),

    async pass(ms) {
      clock.advance(ms);
    },

    expireLocks: async () => undefined, // the next process runs what is left

    async openProcess({ wakesItself = false, ...options } = {}) {
      const log = createRecordingLog();
      const ownClock = wakesItself ? { now: () => Date.now() } : clock;
      const defaults = { db: options.db ?? open(), concurrency: 4 };
      const queue = new SqliteJobQueue({ log, clock: ownClock, wakesItself, ...defaults, ...options });
      if (wakesItself) awake.push(queue);
      return { queue, log, settle: () => queue.runUntilIdle() };
    },

    openHangingProcess: (dropId) => hanging.open(dropId),

    async plant(name, payload) {
      const text = JSON.stringify(payload);
      const insert = db.prepare(
        "INSERT INTO jobs (name, key, payload, state, due_at) VALUES ($name, $text, $text, 'waiting', $now)",
      );
      await db.write(() => insert.run({ name, text, now: clock.now() }));
    },

    async close() {
      hanging.killAll();
      for (const queue of awake) await queue.stop(1_000);
      for (const database of opened) await database.close();
    },
  };
}

import { join } from 'node:path';
import { type Database, openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { createSqliteJobQueue } from '../../shared/adapters/sqlite/job-queue.ts';
import { createTestClock } from '../support/clock.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { createRecordingLog } from '../worker/recording-log.ts';
import { createHangingProcesses } from './hanging-process.ts';
import { describeJobKeys } from './job-keys.contract.ts';
import { describeJobQueue } from './job-queue.contract.ts';
import { describeJobReport } from './job-report.contract.ts';
import type { JobWorld } from './job-world.ts';

describeJobQueue('SQLite', openWorld);
describeJobKeys('SQLite', openWorld);
describeJobReport('SQLite', openWorld);

async function openWorld(): Promise<JobWorld> {
  const path = join(makeTempDir(), 'jobs.sqlite');
  const clock = createTestClock(Date.now());
  const opened: Database[] = [];
  const hanging = createHangingProcesses({ path });
  const db = open();

  /** Each process has a connection of its own. */
  function open(): Database {
    const database = openDatabase(path);
    opened.push(database);
    return database;
  }

  function createQueue(db: Database, concurrency: number) {
    return createSqliteJobQueue({ db, clock, log: createRecordingLog(), concurrency, wakesItself: false });
  }

  return {
    report: createQueue(db, 1),

    async pass(ms) {
      clock.advance(ms);
    },

    async openProcess({ concurrency = 4 } = {}) {
      const queue = createQueue(open(), concurrency);
      return {
        queue,
        settle: () =>
          queue.runUntilIdle().catch((error: unknown) => {
            if (!(error instanceof AggregateError)) throw error;
          }),
      };
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
      for (const database of opened) await database.close();
    },
  };
}

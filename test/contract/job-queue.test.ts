import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Database, openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { createSqliteJobQueue } from '../../shared/adapters/sqlite/job-queue.ts';
import { createTestClock } from '../support/clock.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { createRecordingLog } from '../worker/recording-log.ts';
import { describeJobQueue, type JobWorld } from './job-queue.contract.ts';

describeJobQueue('SQLite', async (): Promise<JobWorld> => {
  const path = join(makeTempDir(), 'jobs.sqlite');
  const clock = createTestClock(Date.now());
  const opened: Database[] = [];
  const children: ChildProcess[] = [];
  const db = open();

  /** Each process has a connection of its own. */
  function open(): Database {
    const database = openDatabase(path);
    opened.push(database);
    return database;
  }

  return {
    async pass(ms) {
      clock.advance(ms);
    },

    async openProcess({ concurrency = 4 } = {}) {
      const log = createRecordingLog();
      const queue = createSqliteJobQueue({ db: open(), clock, log, concurrency, wakesItself: false });
      return {
        queue,
        settle: () =>
          queue.runUntilIdle().catch((error: unknown) => {
            if (!(error instanceof AggregateError)) throw error;
          }),
      };
    },

    async openHangingProcess(dropId) {
      const script = fileURLToPath(new URL('./job-queue.child.js', import.meta.url));
      const child = spawn(process.execPath, [script, path, dropId], { stdio: ['ignore', 'pipe', 'inherit'] });
      children.push(child);
      await once(child.stdout, 'data');
      return {
        async kill() {
          const exit = once(child, 'exit');
          child.kill('SIGKILL');
          await exit;
        },
      };
    },

    async plant(name, payload) {
      const text = JSON.stringify(payload);
      const insert = db.prepare(
        "INSERT INTO jobs (name, key, payload, state, due_at) VALUES ($name, $text, $text, 'waiting', $now)",
      );
      await db.write(() => insert.run({ name, text, now: clock.now() }));
    },

    async listFailed() {
      const rows = db.prepare("SELECT name, error FROM jobs WHERE state = 'failed'").all({});
      return rows as { name: string; error: string }[]; // proof: the columns selected
    },

    async countWaiting() {
      const row = db.prepare("SELECT count(*) AS count FROM jobs WHERE state = 'waiting'").get({});
      return (row as { count: number }).count; // proof: the column selected
    },

    async close() {
      for (const child of children) child.kill('SIGKILL'); // also where a test has failed before it did
      for (const database of opened) await database.close();
    },
  };
});

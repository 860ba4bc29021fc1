import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Database, openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { createSqliteJobQueue } from '../../shared/adapters/sqlite/job-queue.ts';
import { createManualClock, createRecordingLog } from '../worker/doubles.ts';
import { describeJobQueue, type JobWorld } from './job-queue.contract.ts';

describeJobQueue('SQLite', async (): Promise<JobWorld> => {
  const dir = mkdtempSync(join(tmpdir(), 'dropleaf-jobs-'));
  const path = join(dir, 'jobs.sqlite');
  const clock = createManualClock(Date.now());
  const opened: Database[] = [];
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
      for (const database of opened) await database.close();
      rmSync(dir, { recursive: true });
    },
  };
});

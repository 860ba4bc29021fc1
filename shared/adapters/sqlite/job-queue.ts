import { jobKey } from '../../jobs.ts';
import type { Clock } from '../../ports/clock.ts';
import type { JobConsumer, JobProducer } from '../../ports/jobs.ts';
import type { Log } from '../../ports/log.ts';
import type { Database } from './database.ts';
import { createJobRows } from './job-rows.ts';
import { createJobRunner, type JobRunner } from './job-runner.ts';
import { createJobSchedules } from './job-schedules.ts';

export interface SqliteJobQueue extends JobProducer, JobConsumer {
  /**
   * Runs what is due by the clock, schedules included, and what that brings with it, until nothing is due.
   * For tests, and only after `start`.
   * @throws AggregateError with everything that was thrown by handlers meanwhile, retried or not
   */
  runUntilIdle(): Promise<void>;

  /** How many jobs there are. Failed ones are kept for 7 days, the newest of each key. */
  stats(): { waiting: number; active: number; failed: number };
}

/**
 * A line of jobs that survives its process, with the meaning that BullMQ gives to such a line. Asking for work
 * may be done by any process that has the database open, running it only by one at a time.
 * @param concurrency how many jobs run at once
 * @param leaseMs how long a job stays with a process that has stopped renewing its lease
 * @param wakesItself false: nothing runs but by `runUntilIdle`
 */
export function createSqliteJobQueue(options: {
  db: Database;
  clock: Clock;
  log: Log;
  concurrency: number;
  leaseMs?: number;
  wakesItself?: boolean;
}): SqliteJobQueue {
  const { db, clock, log, concurrency, leaseMs = 30_000, wakesItself = true } = options;
  const rows = createJobRows(db);
  const schedules = createJobSchedules(db);
  let runner: JobRunner | undefined;
  let stopped: Promise<void> | undefined;

  return {
    async enqueue(name, payload, delayMs = 0) {
      const key = jobKey(name, payload);
      const text = JSON.stringify(payload);
      const dueAt = clock.now() + delayMs;
      await db.write(() => rows.put(name, key, text, dueAt));
      runner?.wake();
    },

    start(handlers) {
      if (runner !== undefined) throw new Error('The queue was started before');
      runner = createJobRunner({
        db,
        rows,
        schedules,
        handlers,
        clock,
        log,
        concurrency,
        leaseMs,
        wakesItself,
      });
    },

    async stop(graceMs) {
      stopped ??= runner?.stop(graceMs);
      await stopped;
    },

    async runUntilIdle() {
      if (runner === undefined) throw new Error('The queue was not started');
      await db.write(() => undefined); // what was asked for before is in line now
      await runner.runUntilIdle();
    },

    stats: () => rows.count(),
  };
}

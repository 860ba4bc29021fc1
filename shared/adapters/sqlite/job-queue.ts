import { jobKey } from '../../job-catalogue.ts';
import type { Clock } from '../../ports/clock.ts';
import type { JobConsumer, JobProducer } from '../../ports/job-queue.ts';
import type { FailedJob, JobReport } from '../../ports/job-report.ts';
import type { Log } from '../../ports/log.ts';
import type { Database } from './database.ts';
import { createJobRows, type FailedRow } from './job-rows.ts';
import { createJobRunner, type JobRunner } from './job-runner.ts';
import { createJobSchedules } from './job-schedules.ts';

/** Of the failed jobs of one key the newest alone is kept. */
export interface SqliteJobQueue extends JobProducer, JobConsumer, JobReport {
  /**
   * Runs what is due by the clock, schedules included, and what that brings with it, until nothing is due.
   * For tests, and only after `start`.
   * @throws AggregateError with everything that was thrown by handlers meanwhile, retried or not
   */
  runUntilIdle(): Promise<void>;
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

    count: async () => rows.count(),

    listFailed: async (limit) => rows.listFailed(limit).map(toFailedJob),

    async retryFailed() {
      const count = await db.write(() => rows.retryFailed(clock.now()));
      runner?.wake();
      return count;
    },
  };
}

function toFailedJob({ id, name, payload, attempts, error }: FailedRow): FailedJob {
  return { id: String(id), name, payload: readPayload(payload), attempts, error };
}

/** A payload that is no JSON is itself why the job has failed, and is shown as it is. */
function readPayload(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

import type { Clock } from '../domain/clock.ts';
import type { Log } from '../log/log.ts';
import type { Database } from '../sqlite/database.ts';
import { jobKey, jobNames } from './job-catalogue.ts';
import type { JobConsumer, JobMonitor, JobProducer } from './job-queue.ts';
import { addTallies } from './job-reports.ts';
import { createJobRows, renderName } from './sqlite-rows.ts';
import { createJobRunner, type JobRunner } from './sqlite-runner.ts';
import { createUnstoredJobs } from './sqlite-unstored-jobs.ts';

export interface SqliteJobQueue extends JobProducer, JobConsumer, JobMonitor {
  /** For tests, after `start`: runs due jobs and schedules, and the jobs that these enqueue, until none is due. */
  runUntilIdle(): Promise<void>;
}

/**
 * A durable queue in the database file: any process may enqueue, one may run jobs. There renders wait in memory
 * (sqlite-unstored-jobs.ts), which is filled from the drops at its start. @param concurrency how many jobs run at once
 * @param pollMs how often it looks for jobs of other processes @param wakesItself false: only `runUntilIdle` runs jobs, for
 * tests
 */
export function createSqliteJobQueue(options: {
  db: Database;
  clock: Clock;
  log: Log;
  concurrency: number;
  pollMs?: number;
  wakesItself?: boolean;
}): SqliteJobQueue {
  const { db, clock, pollMs = 1_000, wakesItself = true } = options;
  const rows = createJobRows(db);
  const memory = createUnstoredJobs(renderName);
  let runner: JobRunner | undefined;
  let stopped: Promise<void> | undefined;

  return {
    async enqueue(name, payload, delayMs = 0) {
      const key = jobKey(name, payload);
      const text = JSON.stringify(payload);
      const dueAt = clock.now() + delayMs;
      const isForMemory = name === renderName && runner !== undefined && !rows.isWaiting(key);
      if (isForMemory) memory.put({ key, payload: text, dueAt });
      else await db.write(() => rows.put(name, key, text, dueAt));
      runner?.wake();
    },

    start(handlers) {
      if (runner !== undefined) throw new Error('The queue was started before');
      for (const payload of rows.listPendingRenders()) {
        const key = jobKey(renderName, payload);
        memory.put({ key, payload: JSON.stringify(payload), dueAt: clock.now() });
      }
      runner = createJobRunner({ ...options, rows, memory, handlers, pollMs, wakesItself });
    },

    async stop(graceMs) {
      stopped ??= runner?.stop(graceMs);
      await stopped;
    },

    async runUntilIdle() {
      if (runner === undefined) throw new Error('The queue was not started');
      await db.write(() => undefined); // waits for the writes before it
      await runner.runUntilIdle();
    },

    async countByName() {
      const now = clock.now();
      const inMemory = runner === undefined ? rows.tallyPendingRenders(now) : runner.tally(now);
      return addTallies(jobNames, [...rows.tally(now), ...inMemory]);
    },

    listFailed: async (limit) => rows.listFailed(limit).map(shown),
    listRetried: async (limit) => rows.listRetried(limit).map(shown),

    async retryFailed(nameOrId) {
      const count = await db.write(() => rows.retryFailed(nameOrId, clock.now()));
      runner?.wake();
      return count;
    },
  };
}

/** A row as the port has it. A job may have failed because its payload is not JSON. */
function shown<R extends { readonly id: number; readonly payload: string }>({ id, payload, ...job }: R) {
  return { ...job, id: String(id), payload: parseOrText(payload) };
}

function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

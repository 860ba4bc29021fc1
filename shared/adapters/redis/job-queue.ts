import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../ports/clock.ts';
import type { JobConsumer, JobProducer } from '../../ports/job-queue.ts';
import type { JobReport } from '../../ports/job-report.ts';
import type { Log } from '../../ports/log.ts';
import type { Redis } from './connection.ts';
import { askWithinMs, createAsk, createJobProducer } from './job-asking.ts';
import { openJobLines } from './job-lines.ts';
import { createJobReport } from './job-report.ts';
import { type JobTending, startJobTending } from './job-schedules.ts';
import { lookAtLines, wakeWorkers } from './job-scripts.ts';
import { type JobWorkers, startJobWorkers } from './job-workers.ts';

/** Between two looks whether the lines are idle. */
const lookAgainMs = 3;

export interface RedisJobQueue extends JobProducer, JobConsumer, JobReport {
  /**
   * Lets the workers run what is due by the clock, schedules included, and what that brings with it, until nothing
   * is due in any process. For tests, and only after `start`.
   * @throws AggregateError with everything that was thrown by this process's handlers meanwhile, retried or not
   */
  runUntilIdle(): Promise<void>;

  /** Stops at once, and lets go of the connection. */
  close(): Promise<void>;
}

/**
 * The line of jobs in Redis, by BullMQ: any number of processes ask, and any number work. BullMQ keeps it in two
 * queues, one for what is asked for and one for what the schedules run.
 *
 * Connections: a process that only asks opens none beside the `redis` that it is given, so it holds 1. One that
 * works holds 4: that one, one for its workers' commands, and one for each of the two workers to wait on.
 *
 * A job of a name that the catalogue does not have stays in line for a release that knows it: a worker that meets
 * one puts it off for a minute, and says so once an hour.
 * @param clock what it says must be what `Date.now` says: by that BullMQ tells time
 * @param concurrency how many of the jobs that are asked for run at once; periodic ones have slots of their own
 * @param lockMs how long a job stays with a process that has gone silent
 * @param stallMs how often a worker looks for such jobs: they run again within the sum of the two
 * @param tendMs how often a process that works looks whether the schedules are there
 * @param askMs how long `enqueue` waits for Redis
 */
export function createRedisJobQueue(options: {
  redis: Redis;
  clock?: Clock;
  log: Log;
  concurrency: number;
  lockMs?: number;
  stallMs?: number;
  tendMs?: number;
  askMs?: number;
}): RedisJobQueue {
  const { redis, clock = { now: () => Date.now() }, log, concurrency } = options;
  const { lockMs = 30_000, stallMs = 30_000, tendMs = 5_000, askMs = askWithinMs } = options;
  const lines = openJobLines(redis);
  const ask = createAsk({ redis, lines, clock });
  let work: { workers: JobWorkers; tending: JobTending } | undefined;
  let stopped: Promise<unknown> | undefined;

  async function stop(graceMs: number): Promise<void> {
    if (work === undefined) return;
    stopped ??= Promise.all([work.tending.stop(), work.workers.stop(graceMs)]);
    await stopped;
  }

  async function runUntilIdle(): Promise<void> {
    if (work === undefined) throw new Error('The queue was not started');
    const failures: unknown[] = [];
    const stopWatching = work.workers.watchFailures((error) => failures.push(error));
    try {
      await work.tending.tend();
      while (!(await isIdle())) await sleep(lookAgainMs);
    } finally {
      stopWatching();
    }
    if (failures.length > 0) {
      throw new AggregateError(failures, `Jobs failed: ${failures.map(String).join('; ')}`);
    }
  }

  async function isIdle(): Promise<boolean> {
    if (stopped !== undefined) throw new Error('The queue was stopped');
    const found = await lookAtLines(redis.client, lines.all, clock.now());
    for (const [index, line] of lines.all.entries()) {
      if ((found[index]?.due ?? 0) > 0) await wakeWorkers(redis.client, line);
    }
    return found.every(({ due, active }) => due + active === 0);
  }

  return {
    ...createJobProducer(redis, ask, askMs),
    ...createJobReport(lines, ask),

    start(handlers) {
      if (work !== undefined) throw new Error('The queue was started before');
      work = {
        workers: startJobWorkers({ redis, lines, handlers, clock, log, concurrency, lockMs, stallMs }),
        tending: startJobTending({ redis, lines, clock, log, everyMs: tendMs }),
      };
    },

    stop,
    runUntilIdle,

    async close() {
      await stop(0);
      await lines.close();
    },
  };
}

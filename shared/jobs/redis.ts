import type { RequestListener } from 'node:http';
import { type JobsOptions, Queue } from 'bullmq';
import { unavailable } from '../domain/errors.ts';
import type { Log } from '../log/log.ts';
import type { Redis } from '../redis/connection.ts';
import { isRedisUnavailable, withoutCommand } from '../redis/errors.ts';
import { withTimeout } from '../util/promises.ts';
import { failedKeptMs, type JobName, jobKey, jobs, schedules } from './job-catalogue.ts';
import type { JobConsumer, JobMonitor, JobProducer } from './job-queue.ts';
import type { JobBoardOptions } from './redis-board.ts';
import { countJobsByName } from './redis-counts.ts';
import { createFailedJobs } from './redis-failed-jobs.ts';
import { type JobWorker, startJobWorker } from './redis-worker.ts';

/** Processes of the first release share it during a deployment. */
export const queueName = 'asked';

/** How long `enqueue` waits: the caller has a request to answer, and the record lists the pending task anyway. */
export const enqueueWithinMs = 200;

const failedKeptAtMost = 2_000;
/** BullMQ writes events to a stream that nothing here reads. */
const eventsKept = 100;

export interface RedisJobQueue extends JobProducer, JobConsumer, JobMonitor {
  /** Loads web pages that show the queue to operators. */
  board(options: JobBoardOptions): Promise<RequestListener>;

  /** Stops the worker at once, and leaves the connection of the process open. */
  close(): Promise<void>;
}

/**
 * A BullMQ queue, whose time is `Date.now`. A process that only enqueues uses the given connection; a worker opens two more.
 * @param concurrency how many jobs the worker runs at once @param lockMs how long a lock lasts that is no longer renewed
 * @param stallMs how often a worker looks for jobs without a lock, which then run again @param enqueueMs the timeout of
 * `enqueue`
 * @param syncMs how often a worker writes the schedules again: Redis may lose its data while the connection stays
 */
export function createRedisJobQueue({
  redis,
  log,
  concurrency,
  lockMs = 30_000,
  stallMs = 30_000,
  enqueueMs = enqueueWithinMs,
  syncMs = 5_000,
}: {
  redis: Redis;
  log: Log;
  concurrency: number;
  lockMs?: number;
  stallMs?: number;
  enqueueMs?: number;
  syncMs?: number;
}): RedisJobQueue {
  const queue = new Queue(queueName, {
    connection: redis.client,
    prefix: redis.jobPrefix,
    skipVersionCheck: true, // if its one command fails, no later one is sent; `openRedis` has checked the version
    streams: { events: { maxLen: eventsKept } },
  });
  queue.on('error', () => undefined); // the rejected call reports it; the connection logs its own loss
  const failed = createFailedJobs(redis, queue);
  let worker: JobWorker | undefined;
  let stopped: Promise<void> | undefined;
  let stopSyncing: () => void = () => undefined;

  /** BullMQ would wait until Redis is back. @throws DropError `unavailable` where Redis is down */
  async function withDropErrors<T>(call: () => Promise<T>): Promise<T> {
    redis.requireUp('The job queue is unavailable.');
    try {
      return await call();
    } catch (error) {
      throw redis.explain(error);
    }
  }

  async function add(name: JobName, key: string, payload: object, delayMs: number): Promise<void> {
    await queue.add(name, payload, {
      ...jobOptions(name),
      delay: delayMs,
      // A job that runs already does not cover a later change, so another run follows it.
      deduplication: { id: key, keepLastIfActive: true, replace: delayMs === 0 },
    });
  }

  /** Writing a schedule that is there already changes nothing. */
  async function syncSchedules(): Promise<void> {
    try {
      for (const { name, everyMs } of schedules) {
        await queue.upsertJobScheduler(name, { every: everyMs }, { name, opts: jobOptions(name) });
      }
    } catch (error) {
      redis.explain(error); // reports a full memory
      if (!isRedisUnavailable(error))
        log.error({ err: withoutCommand(error) }, 'the job schedules could not be written');
    }
  }

  function keepSchedules(): () => void {
    const sync = () => void syncSchedules(); // it never rejects
    const timer = setInterval(sync, syncMs);
    const stopListening = redis.onReady(sync);
    return () => {
      clearInterval(timer);
      stopListening();
    };
  }

  async function stop(graceMs: number): Promise<void> {
    stopSyncing();
    stopped ??= worker?.stop(graceMs);
    await stopped;
  }

  return {
    async enqueue(name, payload, delayMs = 0) {
      const added = withDropErrors(() => add(name, jobKey(name, payload), payload, delayMs));
      await withTimeout(enqueueMs, added, () => unavailable('The job queue did not answer in time.'));
    },

    start(handlers) {
      if (worker !== undefined) throw new Error('The worker was started before');
      worker = startJobWorker({ redis, queue, failed, handlers, log, concurrency, lockMs, stallMs });
      stopSyncing = keepSchedules();
    },

    stop,

    countByName: () => withDropErrors(() => countJobsByName(redis, queue, Date.now())),

    listFailed: (limit) => withDropErrors(() => failed.list(limit)),

    listRetried: (limit) => withDropErrors(() => failed.listRetried(limit)),

    retryFailed: (nameOrId) => withDropErrors(() => failed.retry(nameOrId)),

    async board(options) {
      const { createJobBoard } = await import('./redis-board.ts'); // few processes need it
      return createJobBoard(redis, queue, options);
    },

    async close() {
      await stop(0);
      await queue.close();
    },
  };
}

/** The catalogue's attempts, backoff and priority as BullMQ takes them. */
function jobOptions(name: JobName) {
  const { attempts, backoffMs, priority } = jobs[name];
  return {
    attempts,
    priority, // 0, no priority, runs before all others
    backoff: { type: 'exponential', delay: backoffMs },
    removeOnComplete: true,
    removeOnFail: { age: failedKeptMs / 1_000, count: failedKeptAtMost },
    stackTraceLimit: 1,
  } satisfies JobsOptions;
}

import type { RequestListener } from 'node:http';
import { type JobsOptions, Queue } from 'bullmq';
import { unavailable } from '../domain/errors.ts';
import type { Log } from '../log/log.ts';
import type { Redis } from '../redis/connection.ts';
import { isRedisUnavailable, withoutCommand } from '../redis/errors.ts';
import { withTimeout } from '../util/promises.ts';
import {
  failedKeptMs,
  type JobHandlers,
  type JobName,
  type JobPayload,
  jobKey,
  jobs,
  schedules,
} from './job-catalogue.ts';
import type { JobConsumer, JobMonitor, JobProducer } from './job-queue.ts';
import type { FailedJob, JobCount, RetriedJob } from './job-reports.ts';
import type { JobBoardOptions } from './redis-board.ts';
import { countJobsByName } from './redis-counts.ts';
import { FailedJobs } from './redis-failed-jobs.ts';
import { JobWorker } from './redis-worker.ts';

/** Processes of the first release share it during a deployment. */
export const queueName = 'asked';

/** How long `enqueue` waits: the caller has a request to answer, and the record lists the pending task anyway. */
export const enqueueWithinMs = 200;

const failedKeptAtMost = 2_000;
/** BullMQ writes events to a stream that nothing here reads. */
const eventsKept = 100;

interface Options {
  readonly redis: Redis;
  readonly log: Log;
  /** How many jobs the worker runs at once. */
  readonly concurrency: number;
  /** How long a lock lasts that is no longer renewed; default 30,000. */
  readonly lockMs?: number;
  /** How often a worker looks for jobs without a lock, which then run again; default 30,000. */
  readonly stallMs?: number;
  /** The timeout of `enqueue`. */
  readonly enqueueMs?: number;
  /** How often a worker writes the schedules again: Redis may lose its data while the connection stays. Default 5,000. */
  readonly syncMs?: number;
}

/**
 * A BullMQ queue, whose time is `Date.now`. A process that only enqueues uses the given connection; a worker opens two more.
 */
export class RedisJobQueue implements JobProducer, JobConsumer, JobMonitor {
  readonly #options: Options;
  readonly #redis: Redis;
  readonly #queue: Queue;
  readonly #failed: FailedJobs;
  #worker: JobWorker | undefined;
  #stopped: Promise<void> | undefined;
  #stopSyncing: () => void = () => undefined;

  constructor(options: Options) {
    const { redis } = options;
    this.#options = options;
    this.#redis = redis;
    this.#queue = openQueue(redis);
    this.#failed = new FailedJobs(redis, this.#queue);
  }

  async enqueue<N extends JobName>(name: N, payload: JobPayload<N>, delayMs = 0): Promise<void> {
    const { enqueueMs = enqueueWithinMs } = this.#options;
    const added = this.#withDropErrors(() => this.#add(name, payload, delayMs));
    await withTimeout(enqueueMs, added, () => unavailable('The job queue did not answer in time.'));
  }

  start(handlers: JobHandlers): void {
    if (this.#worker !== undefined) throw new Error('The worker was started before');
    const { log, concurrency, lockMs = 30_000, stallMs = 30_000, syncMs = 5_000 } = this.#options;
    this.#worker = new JobWorker({
      redis: this.#redis,
      queue: this.#queue,
      failed: this.#failed,
      handlers,
      log,
      concurrency,
      lockMs,
      stallMs,
    });
    this.#stopSyncing = this.#keepSchedules(syncMs);
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopSyncing();
    this.#stopped ??= this.#worker?.stop(graceMs);
    await this.#stopped;
  }

  countByName(): Promise<readonly JobCount[]> {
    return this.#withDropErrors(() => countJobsByName(this.#redis, this.#queue, Date.now()));
  }

  listFailed(limit: number): Promise<FailedJob[]> {
    return this.#withDropErrors(() => this.#failed.list(limit));
  }

  listRetried(limit: number): Promise<RetriedJob[]> {
    return this.#withDropErrors(() => this.#failed.listRetried(limit));
  }

  retryFailed(nameOrId: string | null): Promise<number> {
    return this.#withDropErrors(() => this.#failed.retry(nameOrId));
  }

  /** Loads web pages that show the queue to operators. */
  async board(options: JobBoardOptions): Promise<RequestListener> {
    const { createJobBoard } = await import('./redis-board.ts'); // few processes need it
    return createJobBoard(this.#redis, this.#queue, options);
  }

  /** Stops the worker at once, and leaves the connection of the process open. */
  async close(): Promise<void> {
    await this.stop(0);
    await this.#queue.close();
  }

  /** BullMQ would wait until Redis is back. @throws DropError `unavailable` where Redis is down */
  async #withDropErrors<T>(call: () => Promise<T>): Promise<T> {
    this.#redis.requireUp('The job queue is unavailable.');
    try {
      return await call();
    } catch (error) {
      throw this.#redis.explain(error);
    }
  }

  async #add<N extends JobName>(name: N, payload: JobPayload<N>, delayMs: number): Promise<void> {
    await this.#queue.add(name, payload, {
      ...jobOptions(name),
      delay: delayMs,
      // A job that runs already does not cover a later change, so another run follows it.
      deduplication: { id: jobKey(name, payload), keepLastIfActive: true, replace: delayMs === 0 },
    });
  }

  /** @returns a function that stops it */
  #keepSchedules(everyMs: number): () => void {
    const sync = () => void this.#syncSchedules(); // it never rejects
    const timer = setInterval(sync, everyMs);
    const stopListening = this.#redis.onReady(sync);
    return () => {
      clearInterval(timer);
      stopListening();
    };
  }

  /** Writing a schedule that is there already changes nothing. */
  async #syncSchedules(): Promise<void> {
    try {
      for (const { name, everyMs } of schedules) {
        await this.#queue.upsertJobScheduler(name, { every: everyMs }, { name, opts: jobOptions(name) });
      }
    } catch (error) {
      this.#redis.explain(error); // reports a full memory
      if (isRedisUnavailable(error)) return;
      this.#options.log.error({ err: withoutCommand(error) }, 'the job schedules could not be written');
    }
  }
}

function openQueue(redis: Redis): Queue {
  const queue = new Queue(queueName, {
    connection: redis.client,
    prefix: redis.jobPrefix,
    skipVersionCheck: true, // if its one command fails, no later one is sent; `openRedis` has checked the version
    streams: { events: { maxLen: eventsKept } },
  });
  queue.on('error', () => undefined); // the rejected call reports it; the connection logs its own loss
  return queue;
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

import { DelayedError, type Job, type Queue, UnrecoverableError, Worker } from 'bullmq';
import type { Redis as Client } from 'ioredis';
import { isUnavailable } from '../domain/errors.ts';
import type { Log } from '../log/log.ts';
import type { Redis } from '../redis/connection.ts';
import { isRedisUnavailable, withoutCommand } from '../redis/errors.ts';
import { waitAtMost } from '../util/promises.ts';
import {
  crashLimit,
  isJobName,
  type JobHandlers,
  jobMessages,
  jobs,
  prepareCall,
  unavailableRetryMs,
} from './job-catalogue.ts';
import type { FailedJobs } from './redis-failed-jobs.ts';

/** A connection on which a command waits so long for an answer is lost. BullMQ waits for work 10 s at most. */
const silentMs = 15_000;
/** How long closing the connections may take. */
const closeWithinMs = 1_000;

interface Deps {
  readonly redis: Redis;
  readonly queue: Queue;
  readonly failed: FailedJobs;
  readonly handlers: JobHandlers;
  readonly log: Log;
  readonly concurrency: number;
  readonly lockMs: number;
  readonly stallMs: number;
}

/** Runs the jobs of the queue until it is stopped. */
export class JobWorker {
  readonly #deps: Deps;
  readonly #connection: Client;
  readonly #worker: Worker;
  readonly #unknownNames = new Set<string>();
  #running = 0;
  #isStopping = false;

  constructor(deps: Deps) {
    const { redis, queue, concurrency, lockMs, stallMs } = deps;
    this.#deps = deps;
    this.#connection = redis.duplicate({ socketTimeout: silentMs });
    this.#worker = new Worker(queue.name, (job) => this.#run(job), {
      connection: this.#connection,
      prefix: redis.jobPrefix,
      concurrency,
      lockDuration: lockMs,
      stalledInterval: stallMs,
      maxStalledCount: crashLimit - 1,
    });
    this.#logEvents();
  }

  /** See JobConsumer. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    const closed = this.#worker.close();
    await waitAtMost(graceMs, closed);
    if (this.#running > 0) {
      const jobs = this.#running;
      this.#deps.log.warn({ jobs }, 'jobs still run; they will run again when their locks end');
    }
    const disconnected = this.#worker.disconnect().catch((error) => this.#report(error));
    await waitAtMost(closeWithinMs, disconnected);
    this.#connection.disconnect();
  }

  #logEvents(): void {
    const { log } = this.#deps;
    this.#worker.on('completed', (job) => log.debug(about(job), 'job done'));
    this.#worker.on('failed', (job, error) => this.#noteFailure(job, error));
    this.#worker.on('stalled', (jobId) => log.warn({ jobId }, jobMessages.crashed));
    this.#worker.on('error', (error) => this.#report(error));
  }

  #noteFailure(job: Job | undefined, err: Error): void {
    if (job === undefined) return;
    const { log } = this.#deps;
    if (job.finishedOn === undefined) {
      log.warn({ ...about(job), err }, jobMessages.retried);
      return;
    }
    log.error({ ...about(job), err }, jobMessages.failed);
    void this.#removeOtherFailures(job); // of the failed jobs of one key, the newest is kept
  }

  async #run(job: Job): Promise<void> {
    if (!isJobName(job.name)) return this.#dropUnknown(job);
    const { handlers, log } = this.#deps;
    let call: () => Promise<void>;
    try {
      call = prepareCall(handlers, job.name, job.data);
    } catch (error) {
      throw new UnrecoverableError(String(error)); // a retry would read the same payload
    }
    this.#running += 1;
    try {
      await call();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      log.warn({ ...about(job), err: error }, jobMessages.unavailable);
      return await runLater(job);
    } finally {
      this.#running -= 1;
    }
    await this.#removeOtherFailures(job); // before it completes, so that no other job of its key can fail meanwhile
  }

  /** Never rejects. */
  async #removeOtherFailures(job: Job): Promise<void> {
    await this.#deps.failed.removeOthers(job).catch((error) => this.#report(error));
  }

  /** Drops a job of another release. A job that a later release enqueued is not lost: its record has the pending task. */
  async #dropUnknown({ name, repeatJobKey }: Job): Promise<void> {
    const { queue, log } = this.#deps;
    if (!this.#unknownNames.has(name)) log.warn({ job: name }, jobMessages.unknown);
    this.#unknownNames.add(name);
    if (repeatJobKey !== undefined) await queue.removeJobScheduler(repeatJobKey);
  }

  /** The connection of the process logs when Redis is lost and back, or its memory is full. */
  #report(error: Error): void {
    const { redis, log } = this.#deps;
    redis.explain(error);
    if (isRedisUnavailable(error) || this.#isStopping) return;
    log.error({ err: withoutCommand(error) }, 'the job queue reported an error');
  }
}

/** Without counting this attempt. A schedule whose next run is due by then has this run dropped. */
async function runLater(job: Job): Promise<void> {
  const at = Date.now() + unavailableRetryMs;
  const everyMs = (isJobName(job.name) && jobs[job.name].everyMs) || Number.POSITIVE_INFINITY;
  const wasDueAt = job.timestamp + (job.opts.delay ?? 0);
  if (job.repeatJobKey !== undefined && wasDueAt + everyMs <= at) return;
  await job.moveToDelayed(at, job.token);
  throw new DelayedError();
}

function about(job: Job): object {
  return { job: job.name, key: job.deduplicationId ?? job.name, attempt: job.attemptsMade };
}

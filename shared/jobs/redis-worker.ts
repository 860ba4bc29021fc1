import { DelayedError, type Job, type Queue, UnrecoverableError, Worker } from 'bullmq';
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

export interface JobWorker {
  /** See JobConsumer. */
  stop(graceMs: number): Promise<void>;
}

/** Runs the jobs of the queue until it is stopped. */
export function startJobWorker(deps: {
  redis: Redis;
  queue: Queue;
  failed: FailedJobs;
  handlers: JobHandlers;
  log: Log;
  concurrency: number;
  lockMs: number;
  stallMs: number;
}): JobWorker {
  const { redis, queue, failed, handlers, log, concurrency, lockMs, stallMs } = deps;
  const connection = redis.duplicate({ socketTimeout: silentMs });
  const unknownNames = new Set<string>();
  let running = 0;
  let isStopping = false;

  const worker = new Worker(queue.name, run, {
    connection,
    prefix: redis.jobPrefix,
    concurrency,
    lockDuration: lockMs,
    stalledInterval: stallMs,
    maxStalledCount: crashLimit - 1,
  });
  worker.on('completed', (job) => log.debug(about(job), 'job done'));
  worker.on('failed', (job, error) => {
    if (job === undefined) return;
    if (job.finishedOn === undefined) log.warn({ ...about(job), err: error }, jobMessages.retried);
    else {
      log.error({ ...about(job), err: error }, jobMessages.failed);
      failed.removeOthers(job).catch(report); // of the failed jobs of one key, the newest is kept
    }
  });
  worker.on('stalled', (jobId) => log.warn({ jobId }, jobMessages.crashed));
  worker.on('error', report);

  async function run(job: Job): Promise<void> {
    if (!isJobName(job.name)) return dropUnknown(job);
    let call: () => Promise<void>;
    try {
      call = prepareCall(handlers, job.name, job.data);
    } catch (error) {
      throw new UnrecoverableError(String(error)); // a retry would read the same payload
    }
    running += 1;
    try {
      await call();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      log.warn({ ...about(job), err: error }, jobMessages.unavailable);
      return await runLater(job);
    } finally {
      running -= 1;
    }
    await failed.removeOthers(job).catch(report); // before it completes, so that no other job of its key can fail meanwhile
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

  /** Drops a job of another release. A job that a later release enqueued is not lost: its record has the pending task. */
  async function dropUnknown({ name, repeatJobKey }: Job): Promise<void> {
    if (!unknownNames.has(name)) log.warn({ job: name }, jobMessages.unknown);
    unknownNames.add(name);
    if (repeatJobKey !== undefined) await queue.removeJobScheduler(repeatJobKey);
  }

  /** The connection of the process logs when Redis is lost and back, or its memory is full. */
  function report(error: Error): void {
    redis.explain(error);
    if (!isRedisUnavailable(error) && !isStopping)
      log.error({ err: withoutCommand(error) }, 'the job queue reported an error');
  }

  return {
    async stop(graceMs) {
      isStopping = true;
      const closed = worker.close();
      await waitAtMost(graceMs, closed);
      if (running > 0)
        log.warn({ jobs: running }, 'jobs still run; they will run again when their locks end');
      await waitAtMost(closeWithinMs, worker.disconnect().catch(report));
      connection.disconnect();
    },
  };
}

function about(job: Job): object {
  return { job: job.name, key: job.deduplicationId ?? job.name, attempt: job.attemptsMade };
}

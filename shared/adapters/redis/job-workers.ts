import { Worker } from 'bullmq';
import type { JobHandlers } from '../../job-catalogue.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { waitAtMost } from '../../util/wait-at-most.ts';
import type { Redis } from './connection.ts';
import { isUnavailable, withoutCommand } from './errors.ts';
import { openJobConnections } from './job-connections.ts';
import { type JobLines, type LineName, lineNames, periodic } from './job-lines.ts';
import { createRunningJobs } from './job-run.ts';
import { wakeWorkers } from './job-scripts.ts';

/** A job may take its process with it: then it is no cure to run it again for ever. */
const crashesAllowed = 10;
/** Before a worker asks Redis again after an error. */
const retryMs = 1_000;
/** What BullMQ may take to note what has ended and to say good-bye to Redis. */
const closeWithinMs = 1_000;
/** BullMQ's words for a job that another process may have by now. */
const lockLost =
  /^(Missing (lock|key) for job|Lock mismatch for job|could not renew lock|Job \S+ is not in the)/;

export type JobWorkers = ReturnType<typeof startJobWorkers>;

/** A worker for each line. The periodic jobs have slots of their own, as many as there are such jobs. */
export function startJobWorkers(deps: {
  redis: Redis;
  lines: JobLines;
  handlers: JobHandlers;
  clock: Clock;
  log: Log;
  concurrency: number;
  lockMs: number;
  stallMs: number;
}) {
  const { redis, lines, handlers, clock, log, concurrency, lockMs, stallMs } = deps;
  const connections = openJobConnections(redis, (client) =>
    Promise.all(lines.all.map((line) => wakeWorkers(client, line))),
  );
  const { client } = connections;
  const turnsKey = `${redis.keyPrefix}periodic-running`;
  const running = createRunningJobs({ client, turnsKey, handlers, clock, log });
  const slots: Record<LineName, number> = { asked: concurrency, periodic: periodic.length };
  let isLossTold = false;
  let isStopping = false;

  function startWorker(name: LineName): Worker {
    const worker = new Worker(name, running.process(lines[name]), {
      connection: client,
      prefix: redis.jobPrefix,
      concurrency: slots[name],
      lockDuration: lockMs,
      stalledInterval: stallMs,
      maxStalledCount: crashesAllowed - 1,
      runRetryDelay: retryMs,
    });
    worker.on('error', report);
    worker.on('active', () => {
      isLossTold = false;
    });
    worker.on('failed', running.noteFailure);
    worker.on('stalled', (jobId) => {
      log.warn(aboutId(jobId), 'the process that ran a job is gone; it will run again');
    });
    return worker;
  }

  /** A loss is told once, until there is work again. */
  function report(error: Error): void {
    const err = withoutCommand(error);
    if (lockLost.test(error.message)) log.warn({ err }, 'a job ended after its lock had been lost');
    else if (!isUnavailable(error))
      log.error({ err }, 'the line of jobs could not be moved on; trying again');
    else if (!isLossTold && !isStopping) {
      isLossTold = true;
      log.warn({ err }, 'the line of jobs is away; the worker waits for it');
    }
  }

  const workers = lineNames.map(startWorker);

  async function stop(graceMs: number): Promise<void> {
    isStopping = true;
    const ended = running.finish();
    const closed = Promise.all(workers.map((worker) => worker.close())).catch(report);
    await waitAtMost(graceMs, ended);
    running.cutOff();
    await waitAtMost(closeWithinMs, closed);
    connections.close();
    await waitAtMost(closeWithinMs, closed); // where Redis was away, what still waited for it ends now
  }

  return { stop, watchFailures: running.watchFailures };
}

/** Names and keys are at the beginning of our ids, and in the middle of BullMQ's for its schedules. */
function aboutId(jobId: string): object {
  const [, scheduled] = /^repeat:([^:]*):/.exec(jobId) ?? [];
  if (scheduled !== undefined) return { job: scheduled, key: scheduled };
  const key = jobId.slice(0, jobId.lastIndexOf('/'));
  return { job: key.split('/', 1)[0], key };
}

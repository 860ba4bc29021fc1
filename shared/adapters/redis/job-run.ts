import { DelayedError, type Job, UnrecoverableError, WaitingError } from 'bullmq';
import type { Redis as Client } from 'ioredis';
import { type JobHandlers, type JobName, type JobPayload, jobs } from '../../job-catalogue.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { isJobName } from './job-lines.ts';
import { enterAlone, isAskedAgain } from './job-scripts.ts';

/** A job of a name that this release does not know is looked at again after this long. */
const unknownAgainMs = 60_000;
const unknownToldMs = 3_600_000;
/** Before a job looks again whether the one of its name that runs has ended. */
const nextTurnMs = 1_000;
const errorMaxLength = 8_000;

interface Keys {
  toKey(type: string): string;
}

interface RunningJobs {
  /** What BullMQ calls with each job of the line. */
  process(line: Keys): (job: Job, token?: string) => Promise<void>;
  /** A job that has failed without being run; what was thrown by a handler has been told. */
  noteFailure(job: Job | undefined, error: Error): void;
  /** From now on each job that comes is given back. Resolves when those that run have ended. */
  finish(): Promise<void>;
  /** Gives back those that still run. */
  cutOff(): void;
  /** Called with whatever a handler throws. The answer ends that. */
  watchFailures(watch: (error: unknown) => void): () => void;
}

/** Calls the handlers, tells BullMQ what is to become of each job, and logs it. */
export function createRunningJobs(deps: {
  client: Client;
  /** Where the periodic jobs that run are noted. */
  turnsKey: string;
  handlers: JobHandlers;
  clock: Clock;
  log: Log;
}): RunningJobs {
  const { client, turnsKey, handlers, clock, log } = deps;
  const running = new Map<() => void, Promise<unknown>>();
  const watchers = new Set<(error: unknown) => void>();
  const told = new WeakSet<Error>();
  const unknownToldAt = new Map<string, number>();
  let isStopping = false;

  async function run(line: Keys, job: Job, token: string): Promise<void> {
    if (isStopping) return giveBack(job, token); // it was fetched when the stop came
    const { name } = job;
    if (!isJobName(name)) return leaveAlone(job, token);
    if (jobs[name].everyMs !== null && !(await enterAlone(client, line, turnsKey, name, idOf(job)))) {
      // A period that falls into a run of its own job is passed over; what was asked for waits for its turn.
      if (job.repeatJobKey !== undefined) return;
      return putOff(job, token, nextTurnMs);
    }
    if (isStopping) return giveBack(job, token); // the stop came while it waited for its turn
    let call: () => Promise<void>;
    try {
      call = prepareCall(handlers, name, job.data);
    } catch (error) {
      throw reportFailed(job, error); // no later attempt would read the payload better
    }
    const outcome = await outcomeOf(call);
    if (outcome === 'cut off') {
      log.warn(about(job), 'a job still runs; it will start again');
      return giveBack(job, token);
    }
    if (outcome === 'done') log.debug(about(job), 'job done');
    else await fail(line, job, outcome.thrown);
  }

  /** Until the handler has ended, or the job is taken from it. */
  async function outcomeOf(call: () => Promise<void>): Promise<'done' | 'cut off' | { thrown: unknown }> {
    let cut: () => void = () => undefined;
    const end = new Promise<'done' | 'cut off' | { thrown: unknown }>((resolve) => {
      cut = () => resolve('cut off');
      call().then(
        () => resolve('done'),
        (error: unknown) => resolve({ thrown: error }),
      );
    });
    running.set(cut, end);
    try {
      return await end;
    } finally {
      running.delete(cut);
    }
  }

  /** Throws what BullMQ is to keep; returns where the job has nothing to wait for. */
  async function fail(line: Keys, job: Job, error: unknown): Promise<void> {
    const key = job.deduplicationId;
    if (job.attemptsMade + 1 >= (job.opts.attempts ?? 1)) throw reportFailed(job, error);
    // One that was asked for meanwhile stands for both and has all its attempts: it comes when this one is done.
    const isReplaced = key !== undefined && (await isAskedAgain(client, line, key));
    const retryInMs = isReplaced ? 0 : backoffOf(job);
    for (const watch of watchers) watch(error);
    log.warn({ ...about(job), err: error, retryInMs }, 'job failed and will be tried again');
    if (!isReplaced) throw keep(new Error(), error);
  }

  function reportFailed(job: Job, error: unknown): Error {
    for (const watch of watchers) watch(error);
    log.error({ ...about(job), err: error }, 'job failed for good');
    return keep(new UnrecoverableError(), error);
  }

  function keep(kept: Error, error: unknown): Error {
    const text = asText(error);
    kept.message = text.split('\n', 1)[0] ?? '';
    kept.stack = text;
    told.add(kept);
    return kept;
  }

  async function leaveAlone(job: Job, token: string): Promise<void> {
    const now = clock.now();
    if (Math.abs(now - (unknownToldAt.get(job.name) ?? Number.NEGATIVE_INFINITY)) >= unknownToldMs) {
      unknownToldAt.set(job.name, now);
      log.warn({ job: job.name }, 'jobs of a name that this release does not know are left alone');
    }
    if (job.repeatJobKey !== undefined) return; // its schedule asks again
    return putOff(job, token, unknownAgainMs);
  }

  async function putOff(job: Job, token: string, ms: number): Promise<never> {
    await job.moveToDelayed(clock.now() + ms, token);
    throw new DelayedError();
  }

  return {
    process:
      (line) =>
      (job, token = '') =>
        run(line, job, token),

    noteFailure(job, error) {
      if (told.has(error)) return;
      for (const watch of watchers) watch(error);
      const fields = { ...(job === undefined ? {} : about(job)), err: error };
      if (/\bstalled\b/.test(error.message)) {
        log.error(fields, 'job failed for good: process after process ended while it ran');
      } else log.error(fields, 'a job could not be run');
    },

    async finish() {
      isStopping = true;
      await Promise.all(running.values());
    },

    cutOff() {
      for (const cut of running.keys()) cut();
    },

    watchFailures(watch) {
      watchers.add(watch);
      return () => watchers.delete(watch);
    },
  };
}

/** In line again as if it had not been begun, before all that waits. */
async function giveBack(job: Job, token: string): Promise<never> {
  await job.moveToWait(token);
  throw new WaitingError();
}

/** @throws when the payload does not fit the catalogue's schema */
function prepareCall<N extends JobName>(handlers: JobHandlers, name: N, data: unknown): () => Promise<void> {
  const payload = jobs[name].payload.validateSync(data, { strict: true });
  // proof: that job's own schema has let it through
  return async () => handlers[name](payload as JobPayload<N>);
}

/** As BullMQ reckons it. */
function backoffOf(job: Job): number {
  const { backoff } = job.opts;
  const delay = typeof backoff === 'object' ? (backoff.delay ?? 0) : (backoff ?? 0);
  return delay * 2 ** job.attemptsMade;
}

function about(job: Job): object {
  return { job: job.name, key: job.deduplicationId ?? job.name, attempt: job.attemptsMade + 1 };
}

function idOf(job: Job): string {
  if (job.id === undefined) throw new Error('A job came from Redis without an id');
  return job.id;
}

function asText(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.slice(0, errorMaxLength);
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../domain/clock.ts';
import { isUnavailable } from '../domain/errors.ts';
import type { Log } from '../log/log.ts';
import type { Database } from '../sqlite/database.ts';
import { waitAtMost } from '../util/promises.ts';
import {
  type JobHandlers,
  type JobName,
  jobMessages,
  jobs,
  prepareCall,
  unavailableRetryMs,
} from './job-catalogue.ts';
import type { JobTally } from './job-reports.ts';
import type { JobRows } from './sqlite-rows.ts';
import type { RunningJob, UnstoredJobs } from './sqlite-unstored-jobs.ts';

const cleanupMs = 3_600_000;
/** How long it waits before it writes a result again. */
const rewriteMs = 1_000;

export type JobRunner = ReturnType<typeof createJobRunner>;

/**
 * Runs up to `concurrency` handlers. Only one process runs jobs, so a job that is active at the first claim was interrupted.
 */
export function createJobRunner(deps: {
  db: Database;
  rows: JobRows;
  memory: UnstoredJobs;
  handlers: JobHandlers;
  clock: Clock;
  log: Log;
  concurrency: number;
  /** For this and the next see `createSqliteJobQueue`. */
  pollMs: number;
  wakesItself: boolean;
}) {
  const { db, rows, memory, handlers, clock, log, concurrency, pollMs, wakesItself } = deps;
  const running = new Map<number, { job: RunningJob; end: Promise<void> }>();
  let lastClaim: Promise<unknown> = Promise.resolve();
  let isFirstClaim = true;
  let lastClaimAt = Number.NEGATIVE_INFINITY;
  let cleanedAt = Number.NEGATIVE_INFINITY;
  let isWoken = false;
  let isStopping = false;
  let isStopped = false;
  let poll: NodeJS.Timeout | undefined;

  function claim(): Promise<void> {
    const next = lastClaim.then(claimOnce);
    lastClaim = next.catch(() => undefined); // the caller of `claim` gets the error
    return next;
  }

  async function claimOnce(): Promise<void> {
    if (isStopping) return;
    isWoken = false;
    const now = clock.now();
    lastClaimAt = now;
    const free = concurrency - running.size;
    const isCleanupDue = Math.abs(now - cleanedAt) >= cleanupMs;
    if (isFirstClaim || isCleanupDue || (free > 0 && rows.isAnyDue(now))) await claimRows(isCleanupDue, now);
    // Rows first: no job has a lower priority than those in memory.
    start(memory.claim(now, concurrency - running.size, runningKeys()));
  }

  async function claimRows(isCleanupDue: boolean, now: number): Promise<void> {
    const free = concurrency - running.size;
    const abandoned = isFirstClaim ? rows.listActive() : [];
    const { recovered, claimed, unknown } = await db.write(() => {
      const recovered = abandoned.map((job) => ({ job, to: rows.recover(job, now) }));
      if (isCleanupDue) rows.removeOldFailed(now);
      const unknown = isCleanupDue ? rows.removeUnknown() : [];
      rows.putScheduled(now);
      return { recovered, unknown, claimed: rows.claim(now, free, runningKeys()) };
    });

    isFirstClaim = false;
    if (isCleanupDue) cleanedAt = now;
    start(claimed);
    for (const { job, to } of recovered) {
      if (to === 'waiting') log.warn(about(job), jobMessages.crashed);
      else
        log.error(
          about(job),
          'job failed for good: its process ended, hung, or could not record the end of the job, too often',
        );
    }
    for (const name of unknown) log.warn({ job: name }, jobMessages.unknown);
  }

  function start(claimed: readonly RunningJob[]): void {
    for (const job of claimed) running.set(job.id, { job, end: run(job) });
  }

  function runningKeys(): string[] {
    return [...running.values()].map(({ job }) => job.key);
  }

  /** Never rejects. */
  async function run(job: RunningJob): Promise<void> {
    const finish = await call(job);
    while (!isStopped && !(await tryToFinish(job, finish)) && !isStopping)
      await pause(rewriteMs, undefined, { ref: false }); // a process that ends does not wait for it
    running.delete(job.id);
    wake();
  }

  /** Writes the result; a job in memory whose result cannot be written runs again. @returns false: it must be tried again */
  async function tryToFinish(job: RunningJob, finish: () => Promise<void>): Promise<boolean> {
    try {
      await finish();
      return true;
    } catch (err) {
      log.error({ ...about(job), err }, 'the result of a job could not be written; trying again');
      if (!job.isInMemory) return false;
      memory.put({ ...job, dueAt: clock.now() + unavailableRetryMs });
      return true;
    }
  }

  /** Calls the handler. @returns a function that records the result */
  async function call(job: RunningJob): Promise<() => Promise<void>> {
    const name = job.name as JobName; // proof: only names of the catalogue are claimed
    let isPayloadValid = false;
    try {
      const handle = prepareCall(handlers, name, JSON.parse(job.payload));
      isPayloadValid = true;
      await handle();
      log.debug(about(job), 'job done');
      return () => remove(job);
    } catch (err) {
      const { attempts, backoffMs } = jobs[name];
      if (isUnavailable(err)) {
        log.warn({ ...about(job), err }, jobMessages.unavailable);
        return () => giveBack(job, clock.now() + unavailableRetryMs);
      }
      if (isPayloadValid && job.attempts < attempts) {
        log.warn({ ...about(job), err }, jobMessages.retried);
        const dueAt = clock.now() + backoffMs * 2 ** (job.attempts - 1);
        return () => db.write(() => rows.retry(job, asText(err), dueAt));
      }
      log.error({ ...about(job), err }, jobMessages.failed);
      return () => db.write(() => rows.fail(job, asText(err), clock.now()));
    }
  }

  async function remove(job: RunningJob): Promise<void> {
    if (!job.isInMemory || rows.isAnyFailed(job.key)) await db.write(() => rows.remove(job));
  }

  async function giveBack(job: RunningJob, dueAt: number): Promise<void> {
    if (job.isInMemory) memory.put({ ...job, dueAt });
    else await db.write(() => rows.giveBack(job, dueAt));
  }

  /** Claims soon; several calls claim once. */
  function wake(): void {
    if (isWoken || isStopping || !wakesItself) return;
    isWoken = true;
    setImmediate(async () => {
      let wait = pollMs;
      try {
        await claim();
        if (!isStopping) wait = timeToNextDue();
      } catch (err) {
        isWoken = false;
        log.error({ err }, 'jobs could not be claimed; trying again');
      }
      clearTimeout(poll);
      if (!isStopping) poll = setTimeout(wake, wait);
    });
  }

  function timeToNextDue(): number {
    if (running.size >= concurrency) return pollMs; // the next job that ends wakes it
    const times = [rows.nextDueAt(lastClaimAt), memory.nextDueAt(lastClaimAt)];
    const next = Math.min(...times.map((time) => time ?? Number.POSITIVE_INFINITY));
    return Math.min(Math.max(next - clock.now(), 1), pollMs);
  }

  const ends = () => [...running.values()].map(({ end }) => end);

  async function runUntilIdle(): Promise<void> {
    do {
      if (isStopping) throw new Error('The queue was stopped');
      await claim();
      if (running.size > 0) await Promise.race(ends());
    } while (running.size > 0 || rows.isAnyDue(clock.now()) || memory.isAnyDue(clock.now()));
  }

  async function stop(graceMs: number): Promise<void> {
    isStopping = true;
    clearTimeout(poll);
    await lastClaim;
    await waitAtMost(graceMs, Promise.all(ends()));
    isStopped = true;
    const left = [...running.values()];
    for (const { job } of left) log.warn(about(job), 'a job still runs; it will run again later');
    const notGivenBack = (err: unknown) =>
      log.warn({ err }, 'jobs still run; the next process runs them again');
    await Promise.all(left.map(({ job }) => giveBack(job, clock.now()))).catch(notGivenBack);
  }

  wake();
  return {
    wake,
    runUntilIdle,
    stop,

    /** Counts the jobs in memory. */
    tally(now: number): JobTally[] {
      const active = [...running.values()].filter(({ job }) => job.isInMemory).length;
      return [memory.tally(now), { name: memory.name, state: 'active', count: active, oldestDueAt: null }];
    },
  };
}

function about(job: RunningJob): object {
  return { job: job.name, key: job.key, attempt: job.attempts };
}

/** SQLite would cut the text at a NUL. */
function asText(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.replaceAll('\0', '\ufffd');
}

import { randomUUID } from 'node:crypto';
import { isUnavailable } from '../../domain/errors.ts';
import type { JobTally } from '../../domain/job-count.ts';
import {
  type JobHandlers,
  type JobName,
  jobMessages,
  jobs,
  prepareCall,
  unavailableRetryMs,
} from '../../job-catalogue.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { waitAtMost } from '../../util/wait-at-most.ts';
import type { Database } from './database.ts';
import type { HeldJob, JobMemory } from './job-memory.ts';
import type { JobRows } from './job-rows.ts';

const cleanupMs = 3_600_000;

export type JobRunner = ReturnType<typeof createJobRunner>;

/** Claims due jobs, one claim at a time, and runs up to `concurrency` handlers at once. */
export function createJobRunner(deps: {
  db: Database;
  rows: JobRows;
  memory: JobMemory;
  handlers: JobHandlers;
  clock: Clock;
  log: Log;
  concurrency: number;
  /** For this and the next two see `createSqliteJobQueue`. */
  leaseMs: number;
  pollMs: number;
  wakesItself: boolean;
}) {
  const { db, rows, memory, handlers, clock, log, concurrency, leaseMs, pollMs, wakesItself } = deps;
  const holder = randomUUID();
  const running = new Map<number, { job: HeldJob; end: Promise<void> }>();
  let lastClaim: Promise<unknown> = Promise.resolve();
  let isFirstClaim = true;
  let lastClaimAt = Number.NEGATIVE_INFINITY;
  let cleanedAt = Number.NEGATIVE_INFINITY;
  let isWoken = false;
  let isStopping = false;
  let isStopped = false;
  let poll: NodeJS.Timeout | undefined;
  const renewal = wakesItself ? setInterval(renewLeases, leaseMs / 3) : undefined;

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
    const abandoned = rows.listActive().filter((job) => isAbandoned(job, now));
    const isCleanupDue = Math.abs(now - cleanedAt) >= cleanupMs;
    if (abandoned.length > 0 || isCleanupDue || (free > 0 && rows.isAnyDue(now)))
      await claimRows(abandoned, isCleanupDue, now);
    // Rows first: no job has a lower priority than those in memory.
    start(memory.claim(now, concurrency - running.size, runningKeys()));
  }

  async function claimRows(abandoned: readonly HeldJob[], isCleanupDue: boolean, now: number): Promise<void> {
    const free = concurrency - running.size;
    const { recovered, claimed, unknown } = await db.write(() => {
      const recovered = abandoned.map((job) => ({ job, to: rows.recover(job, now) }));
      if (isCleanupDue) rows.removeOldFailed(now);
      const unknown = isCleanupDue ? rows.removeUnknown() : [];
      rows.putScheduled(now);
      const lease = { holder, leaseUntil: now + leaseMs };
      return { recovered, unknown, claimed: rows.claim(lease, now, free, runningKeys()) };
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
    for (const name of unknown) {
      log.warn({ job: name }, jobMessages.unknown);
    }
  }

  function start(claimed: readonly HeldJob[]): void {
    for (const job of claimed) running.set(job.id, { job, end: run(job) });
  }

  function runningKeys(): string[] {
    return [...running.values()].map(({ job }) => job.key);
  }

  /** No other process runs jobs on this file, so a job that is active at the start was left by one that ended. */
  function isAbandoned(job: HeldJob, now: number): boolean {
    return !running.has(job.id) && ((isFirstClaim && job.holder !== holder) || job.leaseUntil <= now);
  }

  /** Never rejects. A job whose result cannot be written runs again when its lease is over. */
  async function run(job: HeldJob): Promise<void> {
    try {
      const finish = await call(job);
      if (isStopped) return; // it was given back
      const isHeld = await finish();
      if (!isHeld) log.warn(about(job), 'a job ended after its lease was lost');
    } catch (err) {
      log.error({ ...about(job), err }, 'the result of a job could not be written; it will run again');
      if (job.isInMemory) memory.put({ ...job, dueAt: clock.now() + unavailableRetryMs });
    }
    running.delete(job.id);
    wake();
  }

  /** Calls the handler. @returns a function that records the result; it resolves to false if the lease was lost */
  async function call(job: HeldJob): Promise<() => Promise<boolean>> {
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

  async function remove(job: HeldJob): Promise<boolean> {
    if (job.isInMemory && !rows.isAnyFailed(job.key)) return true;
    return db.write(() => rows.remove(job));
  }

  async function giveBack(job: HeldJob, dueAt: number): Promise<boolean> {
    if (!job.isInMemory) return db.write(() => rows.giveBack(job, dueAt));
    memory.put({ ...job, dueAt });
    return true;
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

  function renewLeases(): void {
    const held = [...running.values()].filter(({ job }) => !job.isInMemory);
    if (held.length === 0) return;
    const until = clock.now() + leaseMs;
    db.write(() => {
      for (const { job } of held) rows.renew(job, until);
    }).catch((err: unknown) => log.error({ err }, 'the leases of running jobs could not be renewed'));
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
    clearInterval(renewal);
    const left = [...running.values()];
    await Promise.all(left.map(({ job }) => giveBack(job, clock.now())));
    for (const { job } of left) log.warn(about(job), 'a job still runs; it will run again later');
  }

  wake();
  return {
    wake,
    runUntilIdle,
    stop,

    /** Of the jobs in memory. */
    tally(now: number): JobTally[] {
      const active = [...running.values()].filter(({ job }) => job.isInMemory).length;
      return [memory.tally(now), { name: memory.name, state: 'active', count: active, oldestDueAt: null }];
    },
  };
}

function about(job: HeldJob): object {
  return { job: job.name, key: job.key, attempt: job.attempts };
}

/** SQLite would cut the text at a NUL. */
function asText(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.replaceAll('\0', '\ufffd');
}

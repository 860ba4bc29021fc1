import { randomUUID } from 'node:crypto';
import { type JobHandlers, jobKey } from '../../job-catalogue.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { waitAtMost } from '../../util/wait-at-most.ts';
import type { Database } from './database.ts';
import { type Outcome, runJob } from './job-outcome.ts';
import type { HeldJob, JobRows } from './job-rows.ts';
import type { JobSchedules } from './job-schedules.ts';

/** The command line asks for work from a process of its own, which can wake nobody here. */
const pollMs = 1_000;
const housekeepingMs = 3_600_000;

export type JobRunner = ReturnType<typeof createJobRunner>;

/**
 * Runs jobs in turns. A turn is one write: it notes what has ended since the last, asks for what the schedules
 * say, and claims as much of what is due as there are free slots. One turn at a time; handlers run beside them.
 */
export function createJobRunner(deps: {
  db: Database;
  rows: JobRows;
  schedules: JobSchedules;
  handlers: JobHandlers;
  clock: Clock;
  log: Log;
  concurrency: number;
  leaseMs: number;
  wakesItself: boolean;
}) {
  const { db, rows, schedules, handlers, clock, log, concurrency, leaseMs, wakesItself } = deps;
  const holder = randomUUID();
  const running = new Map<number, { job: HeldJob; end: Promise<void> }>();
  const failureWatchers = new Set<(error: unknown) => void>();
  let ended: { job: HeldJob; outcome: Outcome }[] = [];
  let lastTurn: Promise<unknown> = Promise.resolve();
  let isFirstTurn = true;
  let lastTurnAt = Number.NEGATIVE_INFINITY;
  let keptHouseAt = Number.NEGATIVE_INFINITY;
  let isWoken = false;
  let isStopping = false;
  let isStopped = false;
  let poll: NodeJS.Timeout | undefined;
  const renewal = wakesItself ? setInterval(renewLeases, leaseMs / 3) : undefined;

  function turn(): Promise<void> {
    const next = lastTurn.then(takeTurn);
    lastTurn = next.catch(() => undefined); // who asked for this turn is told
    return next;
  }

  async function takeTurn(): Promise<void> {
    isWoken = false;
    const now = clock.now();
    lastTurnAt = now;
    const settled = [...ended];
    const free = isStopping ? 0 : concurrency - (running.size - settled.length);
    const abandoned = rows.listActive().filter((job) => isAbandoned(job, now));
    const isHouseDue = Math.abs(now - keptHouseAt) >= housekeepingMs;
    if (settled.length + abandoned.length === 0 && !isHouseDue && (free === 0 || !isAnyDue(now))) return;

    const { claimed, lost, recovered } = await db.write(() => {
      const recovered = abandoned.map((job) => ({ job, to: rows.recover(job, now) }));
      if (isHouseDue) rows.removeOldFailed(now);
      const lost = settled.filter(({ job, outcome }) => !settle(job, outcome, now));
      if (free === 0) return { claimed: [], lost, recovered };
      for (const name of schedules.takeDue(now)) rows.put(name, jobKey(name, {}), '{}', now);
      return { claimed: rows.claim(holder, now, now + leaseMs, free), lost, recovered };
    });

    isFirstTurn = false;
    ended = ended.slice(settled.length);
    for (const { job } of settled) running.delete(job.id);
    for (const job of claimed) run(job);
    for (const { job, to } of recovered) reportRecovery(job, to);
    for (const { job } of lost) log.warn(about(job), 'a job ended after its lease had been lost');
    if (isHouseDue) keepHouse(now);
  }

  function keepHouse(now: number): void {
    keptHouseAt = now;
    for (const { name, count } of rows.listUnknown()) {
      log.warn({ job: name, count }, 'jobs of a name that this release does not know are left alone');
    }
  }

  /** Nobody else may run jobs on this data, so at the start whatever is active was left behind. */
  function isAbandoned(job: HeldJob, now: number): boolean {
    if (running.has(job.id)) return false;
    return (isFirstTurn && job.holder !== holder) || job.leaseUntil <= now;
  }

  function isAnyDue(now: number): boolean {
    return rows.isAnyClaimable(now) || schedules.isAnyDue(now);
  }

  function settle(job: HeldJob, outcome: Outcome, now: number): boolean {
    switch (outcome.kind) {
      case 'done':
        return rows.remove(job);
      case 'retry':
        return rows.retry(job, now + outcome.delayMs);
      case 'failed':
        return rows.fail(job, asText(outcome.error), now);
      case 'given back':
        return rows.giveBack(job, now);
    }
  }

  function run(job: HeldJob): void {
    if (isStopping) {
      ended.push({ job, outcome: { kind: 'given back' } }); // the stop came while it was claimed
      return;
    }
    const end = runJob(handlers, job).then((outcome) => {
      ended.push({ job, outcome });
      report(job, outcome);
      wake();
    });
    running.set(job.id, { job, end });
  }

  function report(job: HeldJob, outcome: Outcome): void {
    if (outcome.kind === 'done') log.debug(about(job), 'job done');
    if (outcome.kind !== 'retry' && outcome.kind !== 'failed') return;
    for (const watch of failureWatchers) watch(outcome.error);
    const fields = { ...about(job), err: outcome.error };
    if (outcome.kind === 'failed') log.error(fields, 'job failed for good');
    else log.warn({ ...fields, retryInMs: outcome.delayMs }, 'job failed and will be tried again');
  }

  function reportRecovery(job: HeldJob, to: 'waiting' | 'failed'): void {
    if (to === 'waiting') {
      log.warn(about(job), 'the process that ran a job is gone; it will run again');
      return;
    }
    log.error(about(job), 'job failed for good: process after process ended while it ran');
    for (const watch of failureWatchers) watch(new Error(`${job.key}: its process is gone again`));
  }

  /** A turn soon; many calls make one. */
  function wake(): void {
    if (isWoken || isStopped || !wakesItself) return;
    isWoken = true;
    setImmediate(async () => {
      if (isStopped) return;
      let wait = pollMs;
      try {
        await turn();
        if (!isStopped) wait = timeToNextDue();
      } catch (error) {
        log.error({ err: error }, 'the line of jobs could not be moved on; trying again');
      }
      clearTimeout(poll);
      if (!isStopped) poll = setTimeout(wake, wait);
    });
  }

  function timeToNextDue(): number {
    if (running.size >= concurrency) return pollMs; // the next one to end will wake
    // What has fallen due since the turn counts; what was due then could not be claimed, and its turn will come.
    const next = Math.min(rows.nextDueAt(lastTurnAt) ?? Infinity, schedules.nextDueAt() ?? Infinity);
    return Math.min(Math.max(next - clock.now(), 1), pollMs);
  }

  function renewLeases(): void {
    if (running.size === 0) return;
    const until = clock.now() + leaseMs;
    db.write(() => {
      for (const { job } of running.values()) rows.renew(job, until);
    }).catch((error: unknown) =>
      log.error({ err: error }, 'the leases of running jobs could not be renewed'),
    );
  }

  async function runUntilIdle(): Promise<void> {
    const failures: unknown[] = [];
    const watch = (error: unknown) => failures.push(error);
    failureWatchers.add(watch);
    try {
      do {
        if (isStopping) throw new Error('The queue was stopped');
        await turn();
        if (running.size > 0) await Promise.race([...running.values()].map(({ end }) => end));
      } while (running.size > 0 || ended.length > 0 || isAnyDue(clock.now()));
    } finally {
      failureWatchers.delete(watch);
    }
    if (failures.length > 0) {
      throw new AggregateError(failures, `Jobs failed: ${failures.map(String).join('; ')}`);
    }
  }

  async function stop(graceMs: number): Promise<void> {
    isStopping = true;
    await lastTurn;
    await waitAtMost(graceMs, Promise.all([...running.values()].map(({ end }) => end)));
    isStopped = true;
    clearTimeout(poll);
    clearInterval(renewal);
    const isEnded = new Set(ended.map(({ job }) => job.id));
    for (const { job } of running.values()) {
      if (isEnded.has(job.id)) continue;
      ended.push({ job, outcome: { kind: 'given back' } });
      log.warn(about(job), 'a job still runs; it will start again');
    }
    await turn();
  }

  wake();
  return { wake, runUntilIdle, stop };
}

function about(job: HeldJob): object {
  return { job: job.name, key: job.key, attempt: job.attempts };
}

/** A NUL would cut the text where it is stored. */
function asText(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.replaceAll('\0', '\ufffd');
}

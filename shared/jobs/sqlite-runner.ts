import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../log/log.ts';
import type { Database } from '../sqlite/database.ts';
import { waitAtMost } from '../util/promises.ts';
import { type JobHandlers, jobMessages } from './job-catalogue.ts';
import type { JobTally } from './job-reports.ts';
import { about, callHandler, type JobResult, JobResults } from './sqlite-job-results.ts';
import type { JobRows } from './sqlite-rows.ts';
import type { RunningJob, UnstoredJobs } from './sqlite-unstored-jobs.ts';

const cleanupMs = 3_600_000;
/** How long it waits before it writes a result again. */
const rewriteMs = 1_000;

interface Options {
  readonly db: Database;
  readonly rows: JobRows;
  readonly memory: UnstoredJobs;
  readonly handlers: JobHandlers;
  readonly clock: Clock;
  readonly log: Log;
  readonly concurrency: number;
  /** For this and the next see `SqliteJobQueue`. */
  readonly pollMs: number;
  readonly wakesItself: boolean;
}

/**
 * Runs up to `concurrency` handlers. Only one process runs jobs, so a job that is active at the first claim was interrupted.
 */
export class JobRunner {
  readonly #options: Options;
  readonly #results: JobResults;
  readonly #running = new Map<number, { job: RunningJob; end: Promise<void> }>();
  #lastClaim: Promise<unknown> = Promise.resolve();
  #isFirstClaim = true;
  #lastClaimAt = Number.NEGATIVE_INFINITY;
  #cleanedAt = Number.NEGATIVE_INFINITY;
  #isWoken = false;
  #isStopping = false;
  #isStopped = false;
  #poll: NodeJS.Timeout | undefined;

  /** Runs nothing before the first `wake`. */
  constructor(options: Options) {
    const { db, rows, memory, clock } = options;
    this.#options = options;
    this.#results = new JobResults({ db, rows, memory, clock });
  }

  /** Claims soon; several calls claim once. */
  wake(): void {
    if (this.#isWoken || this.#isStopping || !this.#options.wakesItself) return;
    this.#isWoken = true;
    setImmediate(() => this.#claimAndWait()); // it never rejects
  }

  async runUntilIdle(): Promise<void> {
    const { rows, memory, clock } = this.#options;
    do {
      if (this.#isStopping) throw new Error('The queue was stopped');
      await this.#claim();
      if (this.#running.size > 0) await Promise.race(this.#ends());
    } while (this.#running.size > 0 || rows.isAnyDue(clock.now()) || memory.isAnyDue(clock.now()));
  }

  async stop(graceMs: number): Promise<void> {
    const { log } = this.#options;
    this.#isStopping = true;
    clearTimeout(this.#poll);
    await this.#lastClaim;
    await waitAtMost(graceMs, Promise.all(this.#ends()));
    this.#isStopped = true;
    const left = this.#runningJobs();
    for (const job of left) log.warn(about(job), 'a job still runs; it will run again later');
    const notGivenBack = (err: unknown) =>
      log.warn({ err }, 'jobs still run; the next process runs them again');
    await Promise.all(left.map((job) => this.#results.giveBack(job, 0))).catch(notGivenBack);
  }

  /** Counts the jobs in memory. */
  tally(now: number): JobTally[] {
    const { memory } = this.#options;
    const active = this.#runningJobs().filter(({ isInMemory }) => isInMemory).length;
    return [memory.tally(now), { name: memory.name, state: 'active', count: active, oldestDueAt: null }];
  }

  /** Claims, and sets the timer of the next claim. Never rejects. */
  async #claimAndWait(): Promise<void> {
    let wait = this.#options.pollMs;
    try {
      await this.#claim();
      if (!this.#isStopping) wait = this.#timeToNextDue();
    } catch (err) {
      this.#isWoken = false;
      this.#options.log.error({ err }, 'jobs could not be claimed; trying again');
    }
    clearTimeout(this.#poll);
    if (!this.#isStopping) this.#poll = setTimeout(() => this.wake(), wait);
  }

  #timeToNextDue(): number {
    const { rows, memory, clock, concurrency, pollMs } = this.#options;
    if (this.#running.size >= concurrency) return pollMs; // the next job that ends wakes it
    const times = [rows.nextDueAt(this.#lastClaimAt), memory.nextDueAt(this.#lastClaimAt)];
    const next = Math.min(...times.map((time) => time ?? Number.POSITIVE_INFINITY));
    return Math.min(Math.max(next - clock.now(), 1), pollMs);
  }

  /** One claim at a time. */
  #claim(): Promise<void> {
    const next = this.#lastClaim.then(() => this.#claimOnce());
    this.#lastClaim = next.catch(() => undefined); // the caller gets the error
    return next;
  }

  async #claimOnce(): Promise<void> {
    if (this.#isStopping) return;
    const { rows, memory, clock, concurrency } = this.#options;
    this.#isWoken = false;
    const now = clock.now();
    this.#lastClaimAt = now;
    const isCleanupDue = Math.abs(now - this.#cleanedAt) >= cleanupMs;
    const isAnyRowDue = this.#running.size < concurrency && rows.isAnyDue(now);
    if (this.#isFirstClaim || isCleanupDue || isAnyRowDue) await this.#claimRows(isCleanupDue, now);
    // Rows first: no job has a lower priority than those in memory.
    this.#start(memory.claim(now, concurrency - this.#running.size, this.#runningKeys()));
  }

  async #claimRows(isCleanupDue: boolean, now: number): Promise<void> {
    const { db, rows, concurrency } = this.#options;
    const free = concurrency - this.#running.size;
    const interrupted = this.#isFirstClaim ? rows.listActive() : [];
    const { recovered, claimed, unknown } = await db.write(() => {
      const recovered = interrupted.map((job) => ({ job, to: rows.recover(job, now) }));
      if (isCleanupDue) rows.removeOldFailed(now);
      const unknown = isCleanupDue ? rows.removeUnknown() : new Set<string>();
      rows.putScheduled(now);
      return { recovered, unknown, claimed: rows.claim(now, free, this.#runningKeys()) };
    });

    this.#isFirstClaim = false;
    if (isCleanupDue) this.#cleanedAt = now;
    this.#start(claimed);
    for (const { job, to } of recovered) this.#logRecovered(job, to);
    for (const name of unknown) this.#options.log.warn({ job: name }, jobMessages.unknown);
  }

  #logRecovered(job: RunningJob, to: 'waiting' | 'failed'): void {
    const { log } = this.#options;
    if (to === 'waiting') {
      log.warn(about(job), jobMessages.crashed);
      return;
    }
    log.error(
      about(job),
      'job failed for good: its process ended, hung, or could not record the end of the job, too often',
    );
  }

  #start(claimed: readonly RunningJob[]): void {
    for (const job of claimed) this.#running.set(job.id, { job, end: this.#run(job) });
  }

  /** Never rejects. */
  async #run(job: RunningJob): Promise<void> {
    const result = await callHandler(job, this.#options);
    while (!this.#isStopped && !(await this.#tryToWrite(job, result)) && !this.#isStopping) {
      await pause(rewriteMs, undefined, { ref: false }); // a process that ends does not wait for it
    }
    this.#running.delete(job.id);
    this.wake();
  }

  /** A job in memory whose result cannot be written runs again. @returns false: it must be tried again */
  async #tryToWrite(job: RunningJob, result: JobResult): Promise<boolean> {
    try {
      await this.#results.write(job, result);
      return true;
    } catch (err) {
      this.#options.log.error(
        { ...about(job), err },
        'the result of a job could not be written; trying again',
      );
      if (!job.isInMemory) return false;
      await this.#results.write(job, { type: 'unavailable' });
      return true;
    }
  }

  #runningJobs(): RunningJob[] {
    return [...this.#running.values()].map(({ job }) => job);
  }

  #runningKeys(): string[] {
    return this.#runningJobs().map(({ key }) => key);
  }

  #ends(): Promise<void>[] {
    return [...this.#running.values()].map(({ end }) => end);
  }
}

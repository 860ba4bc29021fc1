import type { Database } from '../sqlite/database.ts';
import {
  crashLimit,
  failedKeptMs,
  type JobName,
  type JobPayload,
  jobKey,
  jobs,
  priorities,
  schedules,
} from './job-catalogue.ts';
import type { JobTally } from './job-reports.ts';
import {
  type FailedRow,
  type RetriedRow,
  readsOf,
  type renderName,
  writesOf,
} from './sqlite-row-statements.ts';
import type { RunningJob } from './sqlite-unstored-jobs.ts';

const crashed = 'The process ended, hung, or could not record the end of this job';
const errorMaxLength = 8_000;

/** A key has at most one row in each state: `OR REPLACE` deletes the other. Call changing methods inside a database write. */
export class JobRows {
  readonly #writes;
  readonly #reads;

  constructor(db: Database) {
    this.#writes = writesOf(db);
    this.#reads = readsOf(db);
  }

  /** Adds a job. If a job of the same key waits, that one gets the earlier of the two times, and all attempts again. */
  put(name: JobName, key: string, payload: string, dueAt: number): void {
    this.#writes.put.run({ name, key, payload, priority: jobs[name].priority, dueAt });
  }

  /** Adds the jobs of the schedules that are due. */
  putScheduled(now: number): void {
    for (const { name, everyMs } of this.#dueSchedules(now)) {
      this.put(name, jobKey(name, {}), '{}', now);
      this.#writes.setScheduleTime.run({ name, nextAt: now + everyMs });
    }
  }

  /**
   * Takes due jobs by priority and time, and never one while another of its key is active.
   * @param running keys of jobs that run, also of those without a row
   */
  claim(now: number, limit: number, running: readonly string[]): RunningJob[] {
    const values = { now, running: JSON.stringify(running) };
    const claimed: RunningJob[] = [];
    for (const priority of priorities) {
      const free = limit - claimed.length;
      if (free > 0) claimed.push(...this.#writes.claim.all({ ...values, priority, limit: free }));
    }
    return claimed;
  }

  /** For a job that is done. A failed job of its key goes, too. */
  remove({ id, key, isInMemory }: RunningJob): void {
    if (!isInMemory) this.#writes.remove.run({ id });
    this.#writes.removeFailed.run({ key });
  }

  retry(job: RunningJob, error: string, dueAt: number): void {
    this.#putBack(job, job.attempts, error.slice(0, errorMaxLength), dueAt);
  }

  fail(job: RunningJob, error: string, now: number): void {
    const values = { keptUntil: now + failedKeptMs, error: error.slice(0, errorMaxLength) };
    this.#writes.fail.run({ id: this.#rowOf(job), ...values });
  }

  /** As if this attempt had not begun. */
  giveBack(job: RunningJob, dueAt: number): void {
    this.#putBack(job, job.attempts - 1, null, dueAt);
  }

  /** For a job whose process was killed: it waits again, its attempt counted, or fails after too many crashes. */
  recover(job: RunningJob, now: number): 'waiting' | 'failed' {
    const crashes = job.crashes + 1;
    if (crashes >= crashLimit) {
      this.fail(job, `${crashed}, ${crashes} times`, now);
      return 'failed';
    }
    this.retry({ ...job, crashes }, crashed, now);
    return 'waiting';
  }

  removeOldFailed(now: number): void {
    this.#writes.removeOldFailed.run({ now });
  }

  /** Removes waiting jobs whose names are not in the catalogue. @returns the names */
  removeUnknown(): Set<string> {
    return new Set(this.#writes.removeUnknown.all({}).map(({ name }) => name));
  }

  /** @returns how many */
  retryFailed(nameOrId: string | null, now: number): number {
    return this.#writes.retryFailed.run({ nameOrId, now }).changes;
  }

  isWaiting(key: string): boolean {
    return this.#reads.find.get({ key, state: 'waiting' }) !== undefined;
  }

  isAnyFailed(key: string): boolean {
    return this.#reads.find.get({ key, state: 'failed' }) !== undefined;
  }

  isAnyDue(now: number): boolean {
    return this.#reads.isClaimable.get({ now }) !== undefined || this.#dueSchedules(now).length > 0;
  }

  /** The first time after `after` at which a job or schedule is due; null: none. */
  nextDueAt(after: number): number | null {
    return this.#reads.nextDue.get({ after })?.at ?? null;
  }

  /** The newest first. */
  listFailed(limit: number): FailedRow[] {
    return this.#reads.listFailed.all({ limit });
  }

  /** The next ones to run first. */
  listRetried(limit: number): RetriedRow[] {
    return this.#reads.listRetried.all({ limit });
  }

  listActive(): RunningJob[] {
    return this.#reads.listActive.all({});
  }

  /** The latest versions of drops that list a render as a pending task and have no row; those that wait for longest first. */
  listPendingRenders(): JobPayload<typeof renderName>[] {
    return this.#reads.pendingRenders.all({});
  }

  /** Counts the same drops. Those that another process renders now count as waiting. */
  tallyPendingRenders(now: number): JobTally[] {
    return dueAt(now, this.#reads.renderTally.all({}));
  }

  /** Counts the rows, and the due schedules that have none. */
  tally(now: number): JobTally[] {
    return dueAt(now, [...this.#reads.tallies.all({}), ...this.#reads.dueSchedules.all({ now })]);
  }

  /** The job's row. A job that waited in memory gets one. */
  #rowOf({ id, name, key, payload, attempts, isInMemory }: RunningJob): number {
    if (!isInMemory) return id;
    const { priority } = jobs[name as JobName]; // proof: only names of the catalogue are claimed
    return this.#writes.addActive.get({ name, key, payload, attempts, priority })?.id ?? id;
  }

  #putBack(job: RunningJob, attempts: number, error: string | null, dueAt: number): void {
    this.#writes.putBack.run({ id: this.#rowOf(job), dueAt, attempts, crashes: job.crashes, error });
  }

  /** A schedule that has never run is due; so is one whose time is so far off that the clock must have changed. */
  #dueSchedules(now: number) {
    const times = new Map(this.#reads.scheduleTimes.all({}).map(({ name, nextAt }) => [name, nextAt]));
    return schedules.filter(({ name, everyMs }) => {
      const nextAt = times.get(name);
      return nextAt === undefined || nextAt <= now || nextAt > now + everyMs;
    });
  }
}

/** A time that is still to come is none. */
function dueAt(now: number, tallies: readonly JobTally[]): JobTally[] {
  return tallies.map((tally) => {
    const { oldestDueAt } = tally;
    return { ...tally, oldestDueAt: oldestDueAt !== null && oldestDueAt <= now ? oldestDueAt : null };
  });
}

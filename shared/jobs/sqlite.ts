import type { Clock } from '../domain/clock.ts';
import type { Log } from '../log/log.ts';
import type { Database } from '../sqlite/database.ts';
import { type JobHandlers, type JobName, type JobPayload, jobKey, jobNames } from './job-catalogue.ts';
import type { JobConsumer, JobMonitor, JobProducer } from './job-queue.ts';
import { addTallies, type FailedJob, type JobCount, type RetriedJob } from './job-reports.ts';
import { renderName } from './sqlite-row-statements.ts';
import { JobRows } from './sqlite-rows.ts';
import { JobRunner } from './sqlite-runner.ts';
import { UnstoredJobs } from './sqlite-unstored-jobs.ts';

interface Options {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** How many jobs run at once. */
  readonly concurrency: number;
  /** How often it looks for jobs of other processes; default 1,000. */
  readonly pollMs?: number;
  /** false: only `runUntilIdle` runs jobs, for tests. */
  readonly wakesItself?: boolean;
}

/**
 * A durable queue in the database file: any process may enqueue, one may run jobs. There renders wait in memory
 * (sqlite-unstored-jobs.ts), which is filled from the drops at its start.
 */
export class SqliteJobQueue implements JobProducer, JobConsumer, JobMonitor {
  readonly #options: Options;
  readonly #rows: JobRows;
  readonly #memory = new UnstoredJobs(renderName);
  #runner: JobRunner | undefined;
  #stopped: Promise<void> | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#rows = new JobRows(options.db);
  }

  async enqueue<N extends JobName>(name: N, payload: JobPayload<N>, delayMs = 0): Promise<void> {
    const key = jobKey(name, payload);
    const text = JSON.stringify(payload);
    const dueAt = this.#options.clock.now() + delayMs;
    const isForMemory = name === renderName && this.#runner !== undefined && !this.#rows.isWaiting(key);
    if (isForMemory) this.#memory.put({ key, payload: text, dueAt });
    else await this.#options.db.write(() => this.#rows.put(name, key, text, dueAt));
    this.#runner?.wake();
  }

  start(handlers: JobHandlers): void {
    if (this.#runner !== undefined) throw new Error('The queue was started before');
    const { db, clock, log, concurrency, pollMs = 1_000, wakesItself = true } = this.#options;
    for (const payload of this.#rows.listPendingRenders()) {
      const key = jobKey(renderName, payload);
      this.#memory.put({ key, payload: JSON.stringify(payload), dueAt: clock.now() });
    }
    this.#runner = new JobRunner({
      db,
      rows: this.#rows,
      memory: this.#memory,
      handlers,
      clock,
      log,
      concurrency,
      pollMs,
      wakesItself,
    });
    this.#runner.wake();
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopped ??= this.#runner?.stop(graceMs);
    await this.#stopped;
  }

  /** For tests, after `start`: runs due jobs and schedules, and the jobs that these enqueue, until none is due. */
  async runUntilIdle(): Promise<void> {
    if (this.#runner === undefined) throw new Error('The queue was not started');
    await this.#options.db.write(() => undefined); // waits for the writes before it
    await this.#runner.runUntilIdle();
  }

  async countByName(): Promise<readonly JobCount[]> {
    const now = this.#options.clock.now();
    const inMemory = this.#runner?.tally(now) ?? this.#rows.tallyPendingRenders(now);
    return addTallies(jobNames, [...this.#rows.tally(now), ...inMemory]);
  }

  async listFailed(limit: number): Promise<FailedJob[]> {
    return this.#rows.listFailed(limit).map(shown);
  }

  async listRetried(limit: number): Promise<RetriedJob[]> {
    return this.#rows.listRetried(limit).map(shown);
  }

  async retryFailed(nameOrId: string | null): Promise<number> {
    const { db, clock } = this.#options;
    const count = await db.write(() => this.#rows.retryFailed(nameOrId, clock.now()));
    this.#runner?.wake();
    return count;
  }
}

/** A row as the port has it. A job may have failed because its payload is not JSON. */
function shown<R extends { readonly id: number; readonly payload: string }>({ id, payload, ...job }: R) {
  return { ...job, id: String(id), payload: parseOrText(payload) };
}

function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

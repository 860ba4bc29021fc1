import type { Clock } from '../domain/clock.ts';
import { isUnavailable } from '../domain/errors.ts';
import type { Log } from '../log/log.ts';
import type { Database } from '../sqlite/database.ts';
import {
  type JobHandlers,
  type JobName,
  jobMessages,
  jobs,
  prepareCall,
  unavailableRetryMs,
} from './job-catalogue.ts';
import type { JobRows } from './sqlite-rows.ts';
import type { RunningJob, UnstoredJobs } from './sqlite-unstored-jobs.ts';

/** How a call of a handler ended. */
export type JobResult =
  | { readonly type: 'done' }
  /** It met `unavailable`: it runs again, and the attempt does not count. */
  | { readonly type: 'unavailable' }
  /** @property dueAt Unix ms */
  | { readonly type: 'retry'; readonly error: string; readonly dueAt: number }
  | { readonly type: 'failed'; readonly error: string };

/** Calls the handler of a job, and logs how it ended. Never rejects. */
export async function callHandler(
  job: RunningJob,
  { handlers, clock, log }: { handlers: JobHandlers; clock: Clock; log: Log },
): Promise<JobResult> {
  const name = job.name as JobName; // proof: only names of the catalogue are claimed
  let isPayloadValid = false;
  try {
    const handle = prepareCall(handlers, name, JSON.parse(job.payload));
    isPayloadValid = true;
    await handle();
    log.debug(about(job), 'job done');
    return { type: 'done' };
  } catch (err) {
    const { attempts, backoffMs } = jobs[name];
    if (isUnavailable(err)) {
      log.warn({ ...about(job), err }, jobMessages.unavailable);
      return { type: 'unavailable' };
    }
    if (isPayloadValid && job.attempts < attempts) {
      log.warn({ ...about(job), err }, jobMessages.retried);
      const dueAt = clock.now() + backoffMs * 2 ** (job.attempts - 1);
      return { type: 'retry', error: asText(err), dueAt };
    }
    log.error({ ...about(job), err }, jobMessages.failed);
    return { type: 'failed', error: asText(err) };
  }
}

/** Writes how jobs ended. A job in memory gets a row when it fails. */
export class JobResults {
  readonly #db: Database;
  readonly #rows: JobRows;
  readonly #memory: UnstoredJobs;
  readonly #clock: Clock;

  constructor(deps: { db: Database; rows: JobRows; memory: UnstoredJobs; clock: Clock }) {
    this.#db = deps.db;
    this.#rows = deps.rows;
    this.#memory = deps.memory;
    this.#clock = deps.clock;
  }

  async write(job: RunningJob, result: JobResult): Promise<void> {
    switch (result.type) {
      case 'done':
        await this.#remove(job);
        break;
      case 'unavailable':
        await this.giveBack(job, unavailableRetryMs);
        break;
      case 'retry':
        await this.#db.write(() => this.#rows.retry(job, result.error, result.dueAt));
        break;
      case 'failed':
        await this.#db.write(() => this.#rows.fail(job, result.error, this.#clock.now()));
    }
  }

  /** The job waits again, as if this attempt had not begun. */
  async giveBack(job: RunningJob, delayMs: number): Promise<void> {
    const dueAt = this.#clock.now() + delayMs;
    if (job.isInMemory) this.#memory.put({ ...job, dueAt });
    else await this.#db.write(() => this.#rows.giveBack(job, dueAt));
  }

  async #remove(job: RunningJob): Promise<void> {
    if (job.isInMemory && !this.#rows.isAnyFailed(job.key)) return;
    await this.#db.write(() => this.#rows.remove(job));
  }
}

/** What the log says about a job. */
export function about(job: RunningJob): object {
  return { job: job.name, key: job.key, attempt: job.attempts };
}

/** SQLite would cut the text at a NUL. */
function asText(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.replaceAll('\0', '\ufffd');
}

import type { JobHandlers, JobName, JobPayload } from './job-catalogue.ts';
import type { FailedJob, JobCount, RetriedJob } from './job-reports.ts';

/** Enqueues jobs. A lost job is only late: the record lists the pending tasks, and store.reconcile enqueues them again. */
export interface JobProducer {
  /**
   * Adds a job. If a job of the same key (see the catalogue) waits, no job is added; without a delay, the waiting job
   * runs now. If a job of the same key is running, the new job runs after it.
   * @param delayMs how long to wait before the job runs; default 0
   * @throws DropError `unavailable` within 200 ms if the queue does not answer, and at once if it is known to be down.
   *   The job may have been added all the same.
   */
  enqueue<N extends JobName>(name: N, payload: JobPayload<N>, delayMs?: number): Promise<void>;
}

/** Runs jobs. */
export interface JobConsumer {
  /**
   * Runs jobs and schedules of the catalogue until stopped; of the due jobs, those with the lowest priority number first.
   * A job runs at least once: its handler is called again after a crash, and after an error, as the catalogue says. Then the
   * newest failed job of a key is kept until a job of the key succeeds. An invalid payload fails at once. After DropError
   * `unavailable` the handler is called again 10 s later, without a lost attempt; a schedule's at its next run if that is earlier.
   */
  start(handlers: JobHandlers): void;

  /** Starts no more jobs and waits at most `graceMs` for those that run; the others run again later. */
  stop(graceMs: number): Promise<void>;
}

/** Shows jobs to operators. */
export interface JobMonitor {
  /**
   * The jobs of each name: all names of the catalogue, and names of other releases that have jobs, sorted. Cheap: beyond 1,000
   * jobs, Redis estimates. On SQLite a command counts renders as waiting also while the service runs them.
   */
  countByName(): Promise<readonly JobCount[]>;

  /**
   * The newest failed jobs, which are kept for 7 days, or until there are too many or a job of their key succeeds. BullMQ may
   * keep one that failed up to 10 s before that in another worker; `store.reconcile` repeats it.
   */
  listFailed(limit: number): Promise<FailedJob[]>;

  /** Jobs whose attempt failed and that will run again, among the first `limit` jobs that wait for a time. */
  listRetried(limit: number): Promise<RetriedJob[]>;

  /** Enqueues failed jobs again, due now, with all attempts. @param nameOrId null: all @returns how many */
  retryFailed(nameOrId: string | null): Promise<number>;
}

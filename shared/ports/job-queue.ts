import type { JobHandlers, JobName, JobPayload } from '../job-catalogue.ts';

/** The side that asks for work. Jobs only speed things up: the record already lists the pending tasks. */
export interface JobProducer {
  /**
   * Puts a job in line. A job of the same key (see the catalogue) that is still waiting stands for both;
   * one that is running does not, and the new one runs after it.
   * @param delayMs not before that many milliseconds from now; jobs that stand for each other run at the earliest
   * @throws within 200 ms where the line of jobs is away, and at once while it is known to be. The job may be in line
   *   all the same.
   */
  enqueue<N extends JobName>(name: N, payload: JobPayload<N>, delayMs?: number): Promise<void>;
}

/** The side that does the work. */
export interface JobConsumer {
  /**
   * Runs the catalogue's jobs and schedules until stopped; of what is due, by the catalogue's priority. Each job
   * runs at least once: its handler may be called again after a crash. A handler that throws is called again after
   * the catalogue's backoff, up to its attempts; then the job is kept as failed.
   */
  start(handlers: JobHandlers): void;

  /** Takes no new job, and waits at most `graceMs` for those that run; what still runs then starts again later. */
  stop(graceMs: number): Promise<void>;
}

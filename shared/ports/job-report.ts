import type { JobName } from '../job-catalogue.ts';

export interface FailedJob {
  /** Where it is kept. */
  readonly id: string;
  /** A name of the catalogue, or one that an earlier release had. */
  readonly name: JobName | string;
  /** Its payload's ids, as they were asked for. */
  readonly payload: unknown;
  readonly attempts: number;
  /** Why its last attempt failed: an error with its stack, or what else was thrown. */
  readonly error: string;
}

/** What an operator asks of the line of jobs. */
export interface JobReport {
  /** How many jobs there are. `waiting` includes those for which it is not time yet, not the schedules' next runs. */
  count(): Promise<{ waiting: number; active: number; failed: number }>;

  /**
   * Jobs whose attempts are used up, kept for 7 days unless they are so many that the newest are enough; at most
   * `limit`, the newest first.
   */
  listFailed(limit: number): Promise<FailedJob[]>;

  /** Puts every failed job back in line with all its attempts. How many there were. */
  retryFailed(): Promise<number>;
}

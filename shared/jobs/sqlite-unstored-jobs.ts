import type { JobTally } from './job-reports.ts';

export interface RunningJob {
  readonly id: number;
  readonly name: string;
  readonly key: string;
  /** JSON. */
  readonly payload: string;
  /** Calls of the handler, this one included. */
  readonly attempts: number;
  /** In how many of them the process was killed. */
  readonly crashes: number;
  /** It has no row. */
  readonly isInMemory?: true;
}

interface WaitingJob extends Pick<RunningJob, 'key' | 'payload'> {
  readonly dueAt: number;
}

/** `store.reconcile` enqueues the others later. */
export const maxWaiting = 10_000;

/**
 * Waiting jobs of one name without rows: records list them as pending. A failed job gets a row, for attempts and operators.
 */
export class UnstoredJobs {
  readonly name: RunningJob['name'];
  readonly #waiting = new Map<string, WaitingJob>();
  #lastId = 0;

  constructor(name: RunningJob['name']) {
    this.name = name;
  }

  /** Adds a job. If a job of the same key waits, that one gets the earlier of the two times. */
  put({ key, payload, dueAt }: WaitingJob): void {
    const other = this.#waiting.get(key);
    if (other === undefined && this.#waiting.size >= maxWaiting) return;
    this.#waiting.set(key, { key, payload, dueAt: Math.min(dueAt, other?.dueAt ?? dueAt) });
  }

  /** Takes due jobs in the order in which they were added. @param running keys of jobs that run */
  claim(now: number, limit: number, running: readonly string[]): RunningJob[] {
    const { name } = this;
    const claimed: RunningJob[] = [];
    for (const { key, payload, dueAt } of this.#waiting.values()) {
      if (claimed.length >= limit) break;
      if (dueAt > now || running.includes(key)) continue;
      this.#lastId -= 1; // rows have positive ids
      claimed.push({ id: this.#lastId, name, key, payload, attempts: 1, crashes: 0, isInMemory: true });
    }
    for (const { key } of claimed) this.#waiting.delete(key);
    return claimed;
  }

  isAnyDue(now: number): boolean {
    return this.#firstTime((time) => time <= now) !== null;
  }

  /** The first time after `after` at which a job is due; null: none. */
  nextDueAt(after: number): number | null {
    return this.#firstTime((time) => time > after);
  }

  tally(now: number): JobTally {
    const oldestDueAt = this.#firstTime((time) => time <= now);
    return { name: this.name, state: 'waiting', count: this.#waiting.size, oldestDueAt };
  }

  /** The earliest of the times that count; null: none. */
  #firstTime(counts: (time: number) => boolean): number | null {
    let first = Number.POSITIVE_INFINITY;
    for (const { dueAt } of this.#waiting.values()) {
      if (dueAt < first && counts(dueAt)) first = dueAt;
    }
    return Number.isFinite(first) ? first : null;
  }
}

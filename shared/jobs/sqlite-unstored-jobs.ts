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

export type UnstoredJobs = ReturnType<typeof createUnstoredJobs>;

/**
 * Waiting jobs of one name without rows: records list them as pending. A failed job gets a row, for attempts and operators.
 */
export function createUnstoredJobs(name: RunningJob['name']) {
  const waiting = new Map<string, WaitingJob>();
  let lastId = 0;

  function firstTime(counts: (time: number) => boolean): number | null {
    let first = Number.POSITIVE_INFINITY;
    for (const { dueAt } of waiting.values()) if (dueAt < first && counts(dueAt)) first = dueAt;
    return Number.isFinite(first) ? first : null;
  }

  return {
    name,

    /** Adds a job. If a job of the same key waits, that one gets the earlier of the two times. */
    put({ key, payload, dueAt }: WaitingJob): void {
      const other = waiting.get(key);
      if (other === undefined && waiting.size >= maxWaiting) return;
      waiting.set(key, { key, payload, dueAt: Math.min(dueAt, other?.dueAt ?? dueAt) });
    },

    /** Takes due jobs in the order in which they were added. @param running keys of jobs that run */
    claim(now: number, limit: number, running: readonly string[]): RunningJob[] {
      const claimed: RunningJob[] = [];
      for (const { key, payload, dueAt } of waiting.values()) {
        if (claimed.length >= limit) break;
        if (dueAt > now || running.includes(key)) continue;
        lastId -= 1; // rows have positive ids
        claimed.push({ id: lastId, name, key, payload, attempts: 1, crashes: 0, isInMemory: true });
      }
      for (const { key } of claimed) waiting.delete(key);
      return claimed;
    },

    isAnyDue: (now: number): boolean => firstTime((time) => time <= now) !== null,

    /** The first time after `after` at which a job is due; null: none. */
    nextDueAt: (after: number): number | null => firstTime((time) => time > after),

    tally: (now: number): JobTally => ({
      name,
      state: 'waiting',
      count: waiting.size,
      oldestDueAt: firstTime((time) => time <= now),
    }),
  };
}

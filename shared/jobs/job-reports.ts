/** The jobs of one name. */
export interface JobCount {
  /** May be a name of another release. */
  readonly name: string;
  /** Delayed jobs included; the next run of a schedule only once it is due. */
  readonly waiting: number;
  readonly active: number;
  readonly failed: number;
  /** Unix ms since when the job that is past its due time for longest waits; null: none is due. */
  readonly oldestDueAt: number | null;
  /** The counts are estimates: there are too many jobs to read the name of each one. */
  readonly isEstimate: boolean;
}

/** Jobs of one name in one state, as a queue finds them. */
export interface JobTally {
  readonly name: string;
  readonly state: 'waiting' | 'active' | 'failed';
  readonly count: number;
  /** Unix ms; null: none of them is due. */
  readonly oldestDueAt: number | null;
  readonly isEstimate?: boolean;
}

/** @param names are in the result even if they have no jobs @returns sorted by name */
export function addTallies(names: readonly string[], tallies: readonly JobTally[]): JobCount[] {
  const counts = new Map(names.map((name) => [name, noJobs(name)]));
  for (const { name, state, count, oldestDueAt, isEstimate = false } of tallies) {
    const before = counts.get(name) ?? noJobs(name);
    counts.set(name, {
      ...before,
      [state]: before[state] + count,
      oldestDueAt: earlier(before.oldestDueAt, oldestDueAt),
      isEstimate: before.isEstimate || isEstimate,
    });
  }
  return [...counts.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function noJobs(name: string): JobCount {
  return { name, waiting: 0, active: 0, failed: 0, oldestDueAt: null, isEstimate: false };
}

function earlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

/** A job whose attempt failed. */
export interface RetriedJob {
  readonly id: string;
  /** May be a name of an earlier release. */
  readonly name: string;
  readonly payload: unknown;
  /** The stack of the last error. */
  readonly error: string;
}

/** A job that failed in its last attempt, and is kept for a while. */
export interface FailedJob extends RetriedJob {
  readonly attempts: number;
  /** Unix ms. */
  readonly failedAt: number;
}

/** Jobs of one name that failed with one message. */
export interface FailureGroup<J extends RetriedJob> {
  readonly name: string;
  readonly count: number;
  readonly first: J;
}

/** @returns groups with many jobs first, each with the first of its jobs */
export function groupFailures<J extends RetriedJob>(jobs: readonly J[]): FailureGroup<J>[] {
  const groups = new Map<string, FailureGroup<J>>();
  for (const job of jobs) {
    const key = `${job.name}\n${messageOf(job)}`;
    const group = groups.get(key);
    groups.set(key, { name: job.name, count: (group?.count ?? 0) + 1, first: group?.first ?? job });
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}

/** The error's first line without the values of the payload: `no drop d-1` and `no drop d-2` are one message. */
function messageOf({ error, payload }: RetriedJob): string {
  const [line = ''] = error.split('\n', 1);
  const ids = Object.values(payload ?? {}).filter((value) => typeof value === 'string' && value !== '');
  return ids.reduce((text, id) => text.replaceAll(id, '…'), line);
}

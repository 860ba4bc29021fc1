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

/** A job that failed in its last attempt, and is kept for a while. */
export interface FailedJob {
  readonly id: string;
  /** May be a name of an earlier release. */
  readonly name: string;
  readonly payload: unknown;
  readonly attempts: number;
  /** The stack of the last error. */
  readonly error: string;
  /** Unix ms. */
  readonly failedAt: number;
}

/** Failed jobs of one name with one message. */
export interface FailureGroup {
  readonly name: string;
  readonly count: number;
  readonly newest: FailedJob;
}

/**
 * @param jobs the newest first
 * @returns groups with many jobs first
 */
export function groupFailures(jobs: readonly FailedJob[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const job of jobs) {
    const key = `${job.name}\n${messageOf(job)}`;
    const group = groups.get(key);
    groups.set(key, { name: job.name, count: (group?.count ?? 0) + 1, newest: group?.newest ?? job });
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}

/** The error's first line without the values of the payload: `no drop d-1` and `no drop d-2` are one message. */
function messageOf({ error, payload }: FailedJob): string {
  const [line = ''] = error.split('\n', 1);
  const ids = Object.values(payload ?? {}).filter((value) => typeof value === 'string' && value !== '');
  return ids.reduce((text, id) => text.replaceAll(id, '…'), line);
}

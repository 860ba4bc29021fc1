import { edgeTag, type PendingTask } from '../domain/drop.ts';
import type { Clock } from '../ports/clock.ts';
import type { EdgePurger } from '../ports/edge-purger.ts';
import type { JobProducer } from '../ports/job-queue.ts';
import type { Log } from '../ports/log.ts';
import { waitAtMost } from '../util/wait-at-most.ts';
import { createThrottledWarning } from './throttled-warning.ts';

/** How long a request that takes a page offline waits for the edge. */
const purgeWaitMs = 1_000;
/** An edge that does not answer must not fill this process with connections; the jobs purge it too. */
const attemptsAtOnce = 100;

/** The result of a purge; `no edge`: this process has no purger configured. */
export type EdgeResult = 'purged' | 'not confirmed' | 'no edge';

export type FollowUps = ReturnType<typeof createFollowUps>;

/**
 * The jobs and purges after a change of a drop. The record lists the pending tasks already, so a failure here fails no
 * request: the reconcile job enqueues them again.
 */
export function createFollowUps(deps: {
  jobs: JobProducer;
  purger: EdgePurger | null;
  clock: Clock;
  log: Log;
}) {
  const { jobs, purger } = deps;
  const warnOfNoJob = createThrottledWarning(
    deps,
    'a job could not be enqueued; the reconcile job will enqueue it',
  );
  const warnOfEdge = createThrottledWarning(deps, 'the edge did not confirm a purge; the job will retry it');
  let attempts = 0;

  function ignoreFailure(enqueued: Promise<void>): void {
    enqueued.catch((err: unknown) => warnOfNoJob({ err }));
  }

  function enqueuePurge(dropId: string): void {
    if (purger !== null) ignoreFailure(jobs.enqueue('edge.purge', { dropId }));
  }

  /** Never rejects. */
  async function tryPurge(dropId: string): Promise<EdgeResult> {
    if (purger === null) return 'no edge';
    attempts += 1;
    try {
      await purger.purge(edgeTag(dropId));
      return 'purged';
    } catch (err) {
      warnOfEdge({ err, dropId });
      return 'not confirmed';
    } finally {
      attempts -= 1;
    }
  }

  async function enqueueAndAwaitPurge(dropId: string): Promise<void> {
    if (purger === null) return;
    enqueuePurge(dropId);
    await waitAtMost(purgeWaitMs, tryPurge(dropId));
  }

  const tasksOfChange: readonly PendingTask[] = purger === null ? [] : ['purge'];
  const tasksOfNewVersion: readonly PendingTask[] = ['render', ...tasksOfChange];
  const tasksOfNewDrop: readonly PendingTask[] = ['render'];
  const tasksOfOperator: readonly PendingTask[] = ['purge'];

  return {
    /** The pending tasks that each kind of change adds. A new drop needs no purge: it was in no cache. */
    tasksOfChange,
    tasksOfNewVersion,
    tasksOfNewDrop,
    /** Whether or not this process has a purger: an operator's shell may lack the service's settings. */
    tasksOfOperator,

    created(dropId: string, versionId: string): void {
      ignoreFailure(jobs.enqueue('version.render', { dropId, versionId }));
    },

    /** Also purges at once, because the job may wait. */
    versionAdded(dropId: string, versionId: string): void {
      ignoreFailure(jobs.enqueue('version.render', { dropId, versionId }));
      enqueuePurge(dropId);
      if (attempts < attemptsAtOnce) void tryPurge(dropId);
    },

    changed: enqueuePurge,

    /** For a page that is no longer public: waits for one purge, at most 1 s. */
    hidden: enqueueAndAwaitPurge,

    /** For a takedown or its end by a command: also waits for the queue, because the command's process ends afterwards. */
    async changedByOperator(dropId: string): Promise<EdgeResult> {
      await jobs.enqueue('edge.purge', { dropId }).catch((err: unknown) => warnOfNoJob({ err }));
      let result: EdgeResult = purger === null ? 'no edge' : 'not confirmed';
      const attempt = tryPurge(dropId).then((outcome) => {
        result = outcome;
      });
      await waitAtMost(purgeWaitMs, attempt);
      return result;
    },

    /** For a removed drop or version: waits like `hidden`. */
    async removed(dropId: string): Promise<void> {
      ignoreFailure(jobs.enqueue('drop.remove', { dropId }));
      await enqueueAndAwaitPurge(dropId);
    },
  };
}

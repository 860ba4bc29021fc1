import { edgeTag, type PendingTask } from '../domain/drop.ts';
import type { Clock } from '../ports/clock.ts';
import type { EdgePurger } from '../ports/edge-purger.ts';
import type { JobProducer } from '../ports/job-queue.ts';
import type { Log } from '../ports/log.ts';
import { waitAtMost } from '../util/wait-at-most.ts';
import { createThrottledWarning } from './throttled-warning.ts';

/** How long an answer waits for the edge where a page must not be seen any more. */
const purgeWaitMs = 1_000;
/** An edge that does not answer must not gather connections; then the jobs alone tell it. */
const attemptsAtOnce = 100;

/** Whether the edge has confirmed that it forgot a page; `unknown`: this process knows no edge. */
export type HeardByEdge = 'told' | 'not told' | 'unknown';

export type FollowUps = ReturnType<typeof createFollowUps>;

/**
 * What a change of a drop sets in motion. The record already lists the pending tasks, so nothing here can fail a
 * request: a job that could not be asked for is found by the reconcile sweep.
 */
export function createFollowUps(deps: {
  jobs: JobProducer;
  purger: EdgePurger | null;
  clock: Clock;
  log: Log;
}) {
  const { jobs, purger } = deps;
  const warnOfNoJob = createThrottledWarning(deps, 'a job could not be asked for; the sweep will');
  const warnOfEdge = createThrottledWarning(deps, 'the edge did not confirm a purge; the job will try again');
  let attempts = 0;

  function hurry(asked: Promise<void>): void {
    asked.catch((err: unknown) => warnOfNoJob({ err }));
  }

  function askForPurge(dropId: string): void {
    if (purger !== null) hurry(jobs.enqueue('edge.purge', { dropId }));
  }

  /**
   * Never rejects. The job stands in where this attempt fails, or is cut off with the process.
   * @returns whether the edge has confirmed
   */
  async function tryPurge(dropId: string): Promise<boolean> {
    if (purger === null) return false;
    attempts += 1;
    try {
      await purger.purge(edgeTag(dropId));
      return true;
    } catch (err) {
      warnOfEdge({ err, dropId });
      return false;
    } finally {
      attempts -= 1;
    }
  }

  async function purgeNow(dropId: string): Promise<void> {
    if (purger === null) return;
    askForPurge(dropId);
    await waitAtMost(purgeWaitMs, tryPurge(dropId));
  }

  const ofChange: readonly PendingTask[] = purger === null ? [] : ['purge'];
  const ofNewVersion: readonly PendingTask[] = ['render', ...ofChange];
  const ofNewDrop: readonly PendingTask[] = ['render']; // nobody can have seen it
  const ofOperator: readonly PendingTask[] = ['purge'];

  return {
    /** Tasks that the record lists as pending after a change. */
    ofChange,
    ofNewVersion,
    ofNewDrop,
    /** Whatever edge this process knows: an operator's shell may lack the service's settings. */
    ofOperator,

    created(dropId: string, versionId: string): void {
      hurry(jobs.enqueue('version.render', { dropId, versionId }));
    },

    /** Tells the edge at once, too: the job may stand behind many renders, or have no worker for now. */
    versionAdded(dropId: string, versionId: string): void {
      hurry(jobs.enqueue('version.render', { dropId, versionId }));
      askForPurge(dropId);
      if (attempts < attemptsAtOnce) void tryPurge(dropId);
    },

    changed: askForPurge,

    /** What was public is not any more: waits for one attempt at the edge, at most a second. */
    hidden: purgeNow,

    /**
     * The same for an operator's command: it waits until the job is asked for too, because it ends after that, and
     * tells whether the edge has confirmed. Without an edge the service's worker clears the note.
     */
    async hiddenByOperator(dropId: string): Promise<HeardByEdge> {
      await jobs.enqueue('edge.purge', { dropId }).catch((err: unknown) => warnOfNoJob({ err }));
      if (purger === null) return 'unknown';
      let isTold = false;
      const attempt = tryPurge(dropId).then((confirmed) => {
        isTold = confirmed;
      });
      await waitAtMost(purgeWaitMs, attempt);
      return isTold ? 'told' : 'not told';
    },

    /** A drop, or a version of one, is gone. Waits like `hidden`. */
    async removed(dropId: string): Promise<void> {
      hurry(jobs.enqueue('drop.remove', { dropId }));
      await purgeNow(dropId);
    },
  };
}

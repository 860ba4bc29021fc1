import { edgeTag, type Owed } from '../domain/drop.ts';
import { withinMs } from '../domain/within-ms.ts';
import type { Clock } from '../ports/clock.ts';
import type { EdgePurger } from '../ports/edge-purger.ts';
import type { JobProducer } from '../ports/jobs.ts';
import type { Log } from '../ports/log.ts';
import { createSeldomWarning } from './seldom-warning.ts';

/** How long an answer waits for the edge where a page must not be seen any more. */
const purgeWaitMs = 1_000;
/** An edge that does not answer must not gather connections; then the jobs alone tell it. */
const attemptsAtOnce = 100;

export type FollowUps = ReturnType<typeof createFollowUps>;

/**
 * What a change of a drop sets in motion. The record already says what is owed, so nothing here can fail a
 * request: a job that could not be asked for is found by the reconcile sweep.
 */
export function createFollowUps(deps: {
  jobs: JobProducer;
  purger: EdgePurger | null;
  clock: Clock;
  log: Log;
}) {
  const { jobs, purger } = deps;
  const warnOfNoJob = createSeldomWarning(deps, 'a job could not be asked for; the sweep will');
  const warnOfEdge = createSeldomWarning(deps, 'the edge did not confirm a purge; the job will try again');
  let attempts = 0;

  function hurry(asked: Promise<void>): void {
    asked.catch((err: unknown) => warnOfNoJob({ err }));
  }

  function askForPurge(dropId: string): void {
    if (purger !== null) hurry(jobs.enqueue('edge.purge', { dropId }));
  }

  /** Never rejects. The job stands in where this attempt fails, or is cut off with the process. */
  async function tryPurge(dropId: string): Promise<void> {
    if (purger === null) return;
    attempts += 1;
    await purger
      .purge(edgeTag(dropId))
      .catch((err: unknown) => warnOfEdge({ err, dropId }))
      .finally(() => {
        attempts -= 1;
      });
  }

  async function purgeNow(dropId: string): Promise<void> {
    if (purger === null) return;
    askForPurge(dropId);
    await withinMs(purgeWaitMs, tryPurge(dropId));
  }

  const ofChange: readonly Owed[] = purger === null ? [] : ['purge'];
  const ofNewVersion: readonly Owed[] = ['render', ...ofChange];
  const ofNewDrop: readonly Owed[] = ['render']; // nobody can have seen it

  return {
    /** What the record is to say is owed. */
    ofChange,
    ofNewVersion,
    ofNewDrop,

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

    /** A drop, or a version of one, is gone. Waits like `hidden`. */
    async removed(dropId: string): Promise<void> {
      hurry(jobs.enqueue('drop.remove', { dropId }));
      await purgeNow(dropId);
    },
  };
}

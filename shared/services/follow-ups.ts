import { edgeTag, type Owed } from '../domain/drop.ts';
import { withinMs } from '../domain/within-ms.ts';
import type { EdgePurger } from '../ports/edge-purger.ts';
import type { JobProducer } from '../ports/jobs.ts';
import type { Log } from '../ports/log.ts';

/** How long an answer waits for the edge where a page must not be seen any more. */
const purgeWaitMs = 1_000;

export type FollowUps = ReturnType<typeof createFollowUps>;

/**
 * What a change of a drop sets in motion. The record already says what is owed, so nothing here can fail a
 * request: a job that could not be asked for is found by the reconcile sweep.
 */
export function createFollowUps(deps: { jobs: JobProducer; purger: EdgePurger | null; log: Log }) {
  const { jobs, purger, log } = deps;

  function hurry(asked: Promise<void>): void {
    asked.catch((error: unknown) => log.warn({ err: error }, 'a job could not be asked for; the sweep will'));
  }

  function purge(dropId: string): void {
    if (purger !== null) hurry(jobs.enqueue('edge.purge', { dropId }));
  }

  async function purgeNow(dropId: string): Promise<void> {
    if (purger === null) return;
    purge(dropId); // the job stands in where this attempt fails, or is cut off with the process
    const attempt = purger.purge(edgeTag(dropId)).catch((error: unknown) => {
      log.warn({ err: error, dropId }, 'the edge did not confirm a purge; the job will try again');
    });
    await withinMs(purgeWaitMs, attempt);
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

    versionAdded(dropId: string, versionId: string): void {
      hurry(jobs.enqueue('version.render', { dropId, versionId }));
      purge(dropId);
    },

    changed: purge,

    /** What was public is not any more: waits for one attempt at the edge, at most a second. */
    hidden: purgeNow,

    /** A drop, or a version of one, is gone. Waits like `hidden`. */
    async removed(dropId: string): Promise<void> {
      hurry(jobs.enqueue('drop.remove', { dropId }));
      await purgeNow(dropId);
    },
  };
}

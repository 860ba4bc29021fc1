import { type Drop, edgeTag, type PendingTask } from '../drops/drop.ts';
import type { EdgePurger } from '../edge/edge-purger.ts';
import type { Log } from '../log/log.ts';
import type { PageChanges } from '../pages/page-changes.ts';
import { inChunks, waitAtMost } from '../util/promises.ts';
import type { JobProducer } from './job-queue.ts';

const purgeWaitMs = 1_000;
/** An edge that does not answer must not fill this process with connections. */
const attemptsAtOnce = 100;
/** Purges of drops that are removed together. */
const purgesAtOnce = 20;

export type EdgeResult = 'purged' | 'not confirmed' | 'no edge';

export type FollowUps = ReturnType<typeof createFollowUps>;

type ChangedDrop = Pick<Drop, 'id' | 'slug'>;

/** What follows a change before its client gets the answer. No failure here fails the request: the tasks are recorded. */
export function createFollowUps(deps: {
  jobs: JobProducer;
  purger: EdgePurger | null;
  changes: Pick<PageChanges, 'publish'>;
  log: Log;
}) {
  const { jobs, purger, changes, log } = deps;
  const warnOfNoJob = (err: unknown) =>
    log.warn({ err }, 'a job could not be enqueued; the reconcile job will enqueue it');
  let attempts = 0;

  function enqueueRender(dropId: string, versionId: string): void {
    jobs.enqueue('version.render', { dropId, versionId }).catch(warnOfNoJob);
  }

  function enqueueRemoval({ id }: ChangedDrop): void {
    jobs.enqueue('drop.remove', { dropId: id }).catch(warnOfNoJob);
  }

  function enqueuePurge(dropId: string): void {
    if (purger !== null) jobs.enqueue('edge.purge', { dropId }).catch(warnOfNoJob);
  }

  /** Never rejects. */
  async function tryPurge(dropId: string): Promise<EdgeResult> {
    if (purger === null) return 'no edge';
    attempts += 1;
    try {
      await purger.purge(edgeTag(dropId));
      return 'purged';
    } catch (err) {
      log.warn({ err, dropId }, 'the edge did not confirm a purge; the job will retry it');
      return 'not confirmed';
    } finally {
      attempts -= 1;
    }
  }

  async function afterHide({ id, slug }: ChangedDrop): Promise<void> {
    await changes.publish(slug);
    if (purger === null) return;
    enqueuePurge(id);
    await waitAtMost(purgeWaitMs, tryPurge(id));
  }

  const tasksOfChange: readonly PendingTask[] = purger === null ? [] : ['purge'];
  const tasksOfNewVersion: readonly PendingTask[] = ['render', ...tasksOfChange];
  const tasksOfNewDrop: readonly PendingTask[] = ['render'];
  const tasksOfOperator: readonly PendingTask[] = ['purge'];

  return {
    /** What each kind of change adds. A new drop needs no purge: it was in no cache. */
    tasksOfChange,
    tasksOfNewVersion,
    tasksOfNewDrop,
    /** An operator's shell may lack the setting of the purger. */
    tasksOfOperator,

    enqueueRender,

    /** Also purges at once, because the job may wait. */
    async afterNewVersion({ id, slug }: ChangedDrop, versionId: string): Promise<void> {
      enqueueRender(id, versionId);
      await changes.publish(slug);
      enqueuePurge(id);
      if (attempts < attemptsAtOnce) void tryPurge(id);
    },

    async afterChange({ id, slug }: ChangedDrop): Promise<void> {
      await changes.publish(slug);
      enqueuePurge(id);
    },

    /** Waits for one purge, at most 1 s. */
    afterHide,

    /** Also of a version. */
    async afterRemove(drop: ChangedDrop): Promise<void> {
      enqueueRemoval(drop);
      await afterHide(drop);
    },

    /** Waits for the purges at most 1 s in all. Never rejects. */
    async afterRemoveAll(drops: readonly ChangedDrop[]): Promise<void> {
      drops.forEach(enqueueRemoval);
      await changes.publish(...drops.map(({ slug }) => slug));
      await waitAtMost(
        purgeWaitMs,
        inChunks(drops, purgesAtOnce, async ({ id }) => void (await tryPurge(id))),
      );
    },

    /** Also waits for the queue, because the process of a command exits afterwards. */
    async afterOperatorChange({ id, slug }: ChangedDrop): Promise<EdgeResult> {
      await changes.publish(slug);
      await jobs.enqueue('edge.purge', { dropId: id }).catch(warnOfNoJob);
      let result: EdgeResult = purger === null ? 'no edge' : 'not confirmed';
      const attempt = tryPurge(id).then((outcome) => {
        result = outcome;
      });
      await waitAtMost(purgeWaitMs, attempt);
      return result;
    },
  };
}

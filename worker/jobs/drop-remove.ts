import type { JobHandlers } from '../../shared/job-catalogue.ts';
import { createPurgeRounds } from '../purge-rounds.ts';
import type { WorkerDeps } from '../worker-deps.ts';

/**
 * Removes the blobs of a deleted drop or of removed versions, and last the list of them (the drop's record, or its trash),
 * so that an interrupted removal is found and repeated. The blobs and the card of a deleted drop do not wait for the edge; its record is
 * removed after the last round of purges.
 */
export function createDropRemove(deps: WorkerDeps): JobHandlers['drop.remove'] {
  const { pendingTasks, html, contexts, renders, cards } = deps.engine;
  const { jobs } = deps;
  const rounds = createPurgeRounds(deps);

  async function deleteBlobs(versionIds: readonly string[]): Promise<void> {
    for (const store of [html, contexts, renders]) await store.delete(versionIds);
  }

  return async ({ dropId, round = 0 }) => {
    const drop = await pendingTasks.find(dropId);
    if (drop === null) return;
    if (!drop.deleted) {
      if (drop.trash.length === 0) return;
      await deleteBlobs(drop.trash);
      await pendingTasks.clearTrash(dropId, drop.trash);
      return;
    }
    const isLast = rounds.isLast(round);
    try {
      const repeatLater = (delayMs: number) => jobs.enqueue('drop.remove', { dropId, round }, delayMs);
      if (!(await rounds.purge(dropId, repeatLater))) return;
    } finally {
      // Again in the last round: a render that ran during the first one may have stored its page afterwards.
      if (round === 0 || isLast) {
        await deleteBlobs([...drop.versions.map(({ id }) => id), ...drop.trash]);
        await cards.delete([dropId]);
      }
    }
    if (isLast) await pendingTasks.erase(dropId);
    else await jobs.enqueue('drop.remove', { dropId, round: round + 1 }, rounds.pauseAfter(round));
  };
}

import type { JobHandlers } from '../../shared/job-catalogue.ts';
import { createPurgeRounds } from '../purge-rounds.ts';
import type { WorkerDeps } from '../worker-deps.ts';

/**
 * Runs one round of purges of a drop. The last round of a revision clears the pending task; until then the reconcile job
 * restarts rounds whose job was lost. A new change of the drop starts rounds of its own and ends the earlier ones.
 */
export function createEdgePurge(deps: WorkerDeps): JobHandlers['edge.purge'] {
  const { pendingTasks } = deps.engine;
  const { jobs } = deps;
  const rounds = createPurgeRounds(deps);

  return async ({ dropId, round = 0, rev }) => {
    const drop = await pendingTasks.find(dropId);
    if (drop === null) return; // `drop.remove` has purged it
    if (round > 0 && drop.rev !== rev) return;
    const repeatLater = (delayMs: number) => jobs.enqueue('edge.purge', { dropId, rev, round }, delayMs);
    if (!(await rounds.purge(dropId, repeatLater)) || drop.deleted) return;
    if (!rounds.isLast(round)) {
      const next = { dropId, rev: drop.rev, round: round + 1 };
      await jobs.enqueue('edge.purge', next, rounds.pauseAfter(round));
    } else if (drop.tasks.includes('purge')) await pendingTasks.clearTask(dropId, 'purge', drop.rev);
  };
}

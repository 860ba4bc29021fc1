import type { JobHandlers } from '../../shared/job-catalogue.ts';
import type { WorkerDeps } from '../worker-deps.ts';

/** Draws the share card of a public drop, unless it is stored; deletes that of a locked one, because it shows the title. */
export function createDropCard({ engine, cards }: WorkerDeps): JobHandlers['drop.card'] {
  const { pendingTasks } = engine;
  return async ({ dropId }) => {
    const drop = await pendingTasks.find(dropId);
    if (drop === null || drop.deleted) return;
    if (drop.locked) await engine.cards.delete([dropId]);
    else if (!(await cards.isStored({ ...drop, dropId }))) await cards.drawForJob({ ...drop, dropId });
  };
}

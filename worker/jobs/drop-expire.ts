import type { JobHandlers } from '../../shared/jobs/job-catalogue.ts';
import { inChunks } from '../../shared/util/promises.ts';
import type { WorkerDeps } from '../worker-deps.ts';

const batchSize = 100;
/** A run stops after this many batches; the next run continues. */
const batchesPerRun = 100;
const enqueuedAtOnce = 50;

/** Removes the drops that have expired, as their owner would, but without notices: pages in memory know when they expire. */
export function createDropExpire({ engine, jobs, clock, log }: WorkerDeps): JobHandlers['drop.expire'] {
  return async () => {
    let drops = 0;
    for (let batch = 0; batch < batchesPerRun; batch++) {
      const removed = await engine.pendingTasks.removeExpired(clock.now(), batchSize);
      await inChunks(removed, enqueuedAtOnce, (dropId) => jobs.enqueue('drop.remove', { dropId }));
      drops += removed.length;
      if (removed.length < batchSize) break;
    }
    if (drops > 0) log.info({ drops }, 'removed drops that had expired');
  };
}

import type { JobHandlers } from '../shared/jobs/job-catalogue.ts';
import type { JobConsumer } from '../shared/jobs/job-queue.ts';
import { createDropExpire, createDropRemove, createEdgePurge } from './jobs/removals.ts';
import { createStoreReconcile } from './jobs/store-reconcile.ts';
import { createVersionRender } from './jobs/version-render.ts';
import type { WorkerDeps } from './worker-deps.ts';

/** One handler for each job of the catalogue: a missing one does not compile. */
export function createJobHandlers(deps: WorkerDeps): JobHandlers {
  const { engine, accounts, clock, config } = deps;
  return {
    'version.render': createVersionRender(deps),
    'edge.purge': createEdgePurge(deps),
    'drop.remove': createDropRemove(deps),
    // What a deletion has left: because its process was killed, or because a write that began before it created a drop after it.
    'account.remove': ({ accountId }) => accounts.finishRemoval(accountId),
    'drop.expire': createDropExpire(deps),
    'sign-in.expire': async () => {
      const now = clock.now();
      await engine.signIns.expire(now);
      await engine.signIns.removeExpiredBefore(now - config.SIGN_IN_KEEP_SECONDS * 1_000); // spec 3
    },
    'views.aggregate': () => engine.views.aggregate(clock.now()),
    'store.reconcile': createStoreReconcile(deps),
  };
}

export interface Worker {
  /** Starts no more jobs and waits at most `graceMs` for those that run; the others run again later. */
  stop(graceMs: number): Promise<void>;
}

/** Starts to run the jobs and schedules of the catalogue. */
export function startWorker(deps: WorkerDeps & { readonly jobs: JobConsumer }): Worker {
  const { jobs, log } = deps;
  jobs.start(createJobHandlers(deps));
  log.debug({}, 'the worker has started');
  return {
    async stop(graceMs) {
      await jobs.stop(graceMs);
      log.debug({}, 'the worker has stopped');
    },
  };
}

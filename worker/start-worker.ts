import type { JobHandlers } from '../shared/jobs/job-catalogue.ts';
import type { JobConsumer } from '../shared/jobs/job-queue.ts';
import { DropExpire } from './jobs/drop-expire.ts';
import { DropRemove } from './jobs/drop-remove.ts';
import { EdgePurge } from './jobs/edge-purge.ts';
import { IdentityRefresh } from './jobs/identity-refresh.ts';
import { SignInExpire } from './jobs/sign-in-expire.ts';
import { StoreReconcile } from './jobs/store-reconcile.ts';
import { VersionRender } from './jobs/version-render.ts';
import type { WorkerDeps } from './worker-deps.ts';

/** One handler for each job of the catalogue: a missing one does not compile. A job of one call has no class. */
export function createJobHandlers(deps: WorkerDeps): JobHandlers {
  const { engine, accounts, clock } = deps;
  const versionRender = new VersionRender(deps);
  const edgePurge = new EdgePurge(deps);
  const dropRemove = new DropRemove(deps);
  const dropExpire = new DropExpire(deps);
  const signInExpire = new SignInExpire(deps);
  const identityRefresh = new IdentityRefresh(deps);
  const storeReconcile = new StoreReconcile(deps);
  return {
    'version.render': (payload) => versionRender.run(payload),
    'edge.purge': (payload) => edgePurge.run(payload),
    'drop.remove': (payload) => dropRemove.run(payload),
    // What a deletion has left: because its process was killed, or because a write that began before it created a drop after it.
    'account.remove': ({ accountId }) => accounts.finishRemoval(accountId),
    'drop.expire': () => dropExpire.run(),
    'sign-in.expire': () => signInExpire.run(),
    'identity.refresh': () => identityRefresh.run(),
    'views.aggregate': () => engine.views.aggregate(clock.now()),
    'store.reconcile': () => storeReconcile.run(),
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

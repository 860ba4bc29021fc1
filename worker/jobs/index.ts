import type { JobHandlers } from '../../shared/job-catalogue.ts';
import type { WorkerDeps } from '../worker-deps.ts';
import { createAccountRemove } from './account-remove.ts';
import { createDropExpire } from './drop-expire.ts';
import { createDropRemove } from './drop-remove.ts';
import { createEdgePurge } from './edge-purge.ts';
import { createSignInExpire } from './sign-in-expire.ts';
import { createStoreReconcile } from './store-reconcile.ts';
import { createVersionRender } from './version-render.ts';
import { createViewsAggregate } from './views-aggregate.ts';

/** One handler for each job of the catalogue: a missing one does not compile. */
export function createJobHandlers(deps: WorkerDeps): JobHandlers {
  return {
    'account.remove': createAccountRemove(deps),
    'version.render': createVersionRender(deps),
    'edge.purge': createEdgePurge(deps),
    'drop.remove': createDropRemove(deps),
    'drop.expire': createDropExpire(deps),
    'sign-in.expire': createSignInExpire(deps),
    'views.aggregate': createViewsAggregate(deps),
    'store.reconcile': createStoreReconcile(deps),
  };
}

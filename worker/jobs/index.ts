import type { JobHandlers } from '../../shared/job-catalogue.ts';
import type { WorkerDeps } from '../worker-deps.ts';
import { createDropRemove } from './drop-remove.ts';
import { createEdgePurge } from './edge-purge.ts';
import { createSignInExpire } from './sign-in-expire.ts';
import { createStoreReconcile } from './store-reconcile.ts';
import { createVersionRender } from './version-render.ts';
import { createVersionSqueeze } from './version-squeeze.ts';
import { createViewsAggregate } from './views-aggregate.ts';

/** One handler for each job of the catalogue: a missing one does not compile. */
export function createJobHandlers(deps: WorkerDeps): JobHandlers {
  return {
    'version.render': createVersionRender(deps),
    'version.squeeze': createVersionSqueeze(deps),
    'edge.purge': createEdgePurge(deps),
    'drop.remove': createDropRemove(deps),
    'sign-in.expire': createSignInExpire(deps),
    'views.aggregate': createViewsAggregate(deps),
    'store.reconcile': createStoreReconcile(deps),
  };
}

import type { JobHandlers } from '../../shared/job-catalogue.ts';
import type { Rendering } from '../../shared/services/rendering.ts';
import type { Upkeep } from '../../shared/services/upkeep.ts';
import type { Views } from '../../shared/services/views.ts';
import { handleDropRemove } from './drop-remove.ts';
import { handleEdgePurge } from './edge-purge.ts';
import { handleSignInExpire } from './sign-in-expire.ts';
import { handleStoreReconcile } from './store-reconcile.ts';
import { handleVersionRender } from './version-render.ts';
import { handleVersionSqueeze } from './version-squeeze.ts';
import { handleViewsAggregate } from './views-aggregate.ts';

/** The use cases that jobs call. */
export interface WorkerServices {
  readonly rendering: Rendering;
  readonly upkeep: Upkeep;
  readonly views: Pick<Views, 'aggregate'>;
}

/** One handler for each job of the catalogue: a missing one does not compile. */
export function createJobHandlers(services: WorkerServices): JobHandlers {
  return {
    'version.render': handleVersionRender(services),
    'version.squeeze': handleVersionSqueeze(services),
    'edge.purge': handleEdgePurge(services),
    'drop.remove': handleDropRemove(services),
    'sign-in.expire': handleSignInExpire(services),
    'views.aggregate': handleViewsAggregate(services),
    'store.reconcile': handleStoreReconcile(services),
  };
}

import type { JobHandlers } from '../../shared/job-catalogue.ts';
import type { Upkeep } from '../../shared/services/upkeep.ts';

export function handleStoreReconcile({ upkeep }: { upkeep: Upkeep }): JobHandlers['store.reconcile'] {
  return () => upkeep.reconcile();
}

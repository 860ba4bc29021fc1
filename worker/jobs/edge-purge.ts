import type { JobHandlers } from '../../shared/job-catalogue.ts';
import type { Upkeep } from '../../shared/services/upkeep.ts';

export function handleEdgePurge({ upkeep }: { upkeep: Upkeep }): JobHandlers['edge.purge'] {
  return ({ dropId, round, rev }) => upkeep.purge(dropId, round, rev);
}

import type { JobHandlers } from '../../shared/job-catalogue.ts';
import type { Upkeep } from '../../shared/services/upkeep.ts';

export function handleDropRemove({ upkeep }: { upkeep: Upkeep }): JobHandlers['drop.remove'] {
  return ({ dropId, round }) => upkeep.removeRemains(dropId, round);
}

import type { JobHandlers } from '../../shared/job-catalogue.ts';
import type { Upkeep } from '../../shared/services/upkeep.ts';

export function handleSignInExpire({ upkeep }: { upkeep: Upkeep }): JobHandlers['sign-in.expire'] {
  return () => upkeep.expireSignIns();
}

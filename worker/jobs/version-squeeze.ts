import type { JobHandlers } from '../../shared/job-catalogue.ts';
import type { Rendering } from '../../shared/services/rendering.ts';

export function handleVersionSqueeze({
  rendering,
}: {
  rendering: Rendering;
}): JobHandlers['version.squeeze'] {
  return (version) => rendering.squeeze(version);
}

import type { JobHandlers } from '../../shared/job-catalogue.ts';
import type { Rendering } from '../../shared/services/rendering.ts';

export function handleVersionRender({ rendering }: { rendering: Rendering }): JobHandlers['version.render'] {
  return ({ dropId, versionId }) => rendering.renderForJob(dropId, versionId);
}

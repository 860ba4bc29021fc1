import { rendererVersion } from '../../shared/html/plan.ts';
import type { JobHandlers } from '../../shared/job-catalogue.ts';
import type { WorkerDeps } from '../worker-deps.ts';

/** How long a recompression waits while the renderer is busy. */
const retryMs = 5_000;

/**
 * Recompresses the brotli body of a page, unless that is done or the page is outdated. It takes seconds, so it runs only
 * while nothing is rendered, and one at a time: it must not hold the slots of other jobs.
 */
export function createVersionSqueeze(deps: WorkerDeps): JobHandlers['version.squeeze'] {
  const { pendingTasks, html, renders } = deps.engine;
  const { renderer, jobs, clock } = deps;
  let isSqueezing = false;

  async function squeeze(dropId: string, versionId: string): Promise<void> {
    const drop = await pendingTasks.find(dropId);
    if (drop === null || drop.deleted || !drop.versionIds.includes(versionId)) return;
    const head = await renders.findHead(versionId);
    if (head === null || head.isSqueezed || head.plan.renderer < rendererVersion) return;
    const document = await html.get(versionId);
    if (document === null) return;
    const squeezed = await renderer.squeeze(document, head.plan);
    await renders.squeeze(versionId, head.artefacts.br, squeezed, clock.now());
  }

  return async ({ dropId, versionId }) => {
    if (isSqueezing || !renderer.isIdle()) {
      return jobs.enqueue('version.squeeze', { dropId, versionId }, retryMs);
    }
    isSqueezing = true;
    try {
      await squeeze(dropId, versionId);
    } finally {
      isSqueezing = false;
    }
  };
}

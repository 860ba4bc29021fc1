import { rendererVersion } from '../../shared/html/plan.ts';
import type { JobHandlers } from '../../shared/job-catalogue.ts';
import type { RenderStore, VersionKey } from '../../shared/ports/render-store.ts';
import type { WorkerDeps } from '../worker-deps.ts';

/**
 * Renders a version unless its page is current, and purges the drop if an older page was replaced. Clears the pending task
 * once all versions of the drop are rendered.
 */
export function createVersionRender(deps: WorkerDeps): JobHandlers['version.render'] {
  const { pendingTasks, html, renders } = deps.engine;
  const { rendering, followUps } = deps;

  async function render(version: VersionKey): Promise<void> {
    const { dropId, versionId } = version;
    await rendering.whenFinished(versionId); // a request may be rendering it
    const before = await renders.findHead(versionId);
    if (before !== null && before.plan.renderer >= rendererVersion) return;
    const document = await html.get(versionId);
    if (document === null) {
      if (!(await isLive(version))) return; // it was removed meanwhile
      throw new Error(`The document of version ${versionId} of drop ${dropId} is missing`);
    }
    await rendering.renderFully(version, document);
    if (before !== null) followUps.changed(dropId);
  }

  async function isLive({ dropId, versionId }: VersionKey): Promise<boolean> {
    const drop = await pendingTasks.find(dropId);
    return drop !== null && !drop.deleted && drop.versionIds.includes(versionId);
  }

  return async ({ dropId, versionId }) => {
    const drop = await pendingTasks.find(dropId);
    if (drop === null || drop.deleted) return;
    if (drop.versionIds.includes(versionId)) await render({ dropId, versionId });
    if (!drop.tasks.includes('render')) return;
    if ((await findUnrendered(renders, drop.versionIds)).length > 0) return;
    await pendingTasks.clearTask(dropId, 'render', drop.rev);
  };
}

/** Those of these versions that have no page of the current renderer. */
export async function findUnrendered(renders: RenderStore, versionIds: readonly string[]): Promise<string[]> {
  const rendered = await renders.listRendered(versionIds, rendererVersion);
  return versionIds.filter((versionId) => !rendered.has(versionId));
}

import { rendererVersion } from '../../shared/html/insertion.ts';
import type { JobHandlers } from '../../shared/jobs/job-catalogue.ts';
import type { PendingDrop, PendingRender } from '../../shared/jobs/pending-task-store.ts';
import type { RenderStore } from '../../shared/renders/render-store.ts';
import type { WorkerDeps } from '../worker-deps.ts';
import { createCommentPlaces, listQuoted } from './comment-places.ts';
import { createCommentSides } from './comment-sides.ts';

/**
 * Resolves the comments that the versions of the drop resolve. Renders page and context of the version unless its artefact is
 * current, then deletes artefacts of older renderers, and purges the drop if there were any. Notes which quotes of comments the latest
 * version has, and which prefixes and suffixes stand beside quotes.
 * Clears the pending task if all versions of the drop are rendered; otherwise enqueues the others.
 */
export function createVersionRender(deps: WorkerDeps): JobHandlers['version.render'] {
  const { comments, pendingTasks, renders } = deps.engine;
  const { rendering, jobs, purger, resolutions } = deps;
  const notePlaces = createCommentPlaces(deps);
  const decideSides = createCommentSides(deps);

  async function render(
    { id: dropId, ownerId, renderers }: PendingRender,
    { id: versionId, hasContext }: PendingRender['versions'][number],
  ): Promise<void> {
    const before = renderers.get(versionId);
    if (before !== rendererVersion) {
      const isRendered = await rendering.renderForJob({ dropId, ownerId, versionId, hasContext });
      if (!isRendered && (await isLive(dropId, versionId)))
        throw new Error(`The document of version ${versionId} of drop ${dropId} is missing`);
    }
    if (before === undefined) return;
    const wasOutdated = await renders.deleteOlder(versionId, rendererVersion);
    if (wasOutdated && purger !== null) await jobs.enqueue('edge.purge', { dropId });
  }

  async function isLive(dropId: string, versionId: string): Promise<boolean> {
    const drop = await pendingTasks.find(dropId);
    return drop !== null && !drop.deleted && drop.versions.some(({ id }) => id === versionId);
  }

  async function lookForQuotes(drop: PendingRender): Promise<void> {
    const threads = await listQuoted(comments, drop);
    await notePlaces(drop, threads);
    await decideSides(drop, threads);
  }

  async function clearTaskOrRenderOthers(drop: PendingRender, versionId: string): Promise<void> {
    const dropId = drop.id;
    const others = drop.versions.filter(
      ({ id }) => id !== versionId && drop.renderers.get(id) !== rendererVersion,
    );
    const unrendered = await findUnrendered(renders, others);
    for (const id of unrendered) await jobs.enqueue('version.render', { dropId, versionId: id });
    if (unrendered.length === 0) await pendingTasks.clearTask(dropId, 'render', drop.rev);
  }

  return async ({ dropId, versionId }) => {
    const drop = await pendingTasks.findForRender(dropId, rendererVersion);
    if (drop === null || drop.deleted) return;
    await resolutions.settle(drop);
    const version = drop.versions.find(({ id }) => id === versionId);
    if (version !== undefined) await render(drop, version);
    await lookForQuotes(drop);
    if (drop.pending.includes('render')) await clearTaskOrRenderOthers(drop, versionId);
  };
}

/** Those of these versions that have no artefact of the current renderer. */
export async function findUnrendered(
  renders: RenderStore,
  versions: PendingDrop['versions'],
): Promise<string[]> {
  if (versions.length === 0) return [];
  const ids = versions.map(({ id }) => id);
  const rendered = await renders.listRendered(ids, rendererVersion);
  return ids.filter((id) => !rendered.has(id));
}

import { rendererVersion } from '../../shared/html/insertion.ts';
import type { Job, JobPayload } from '../../shared/jobs/job-catalogue.ts';
import type { PendingRender } from '../../shared/jobs/pending-task-store.ts';
import { CommentPlaces, listQuoted } from '../steps/comment-places.ts';
import { CommentSides } from '../steps/comment-sides.ts';
import { findUnrendered } from '../steps/pending-work.ts';
import type { WorkerDeps } from '../worker-deps.ts';

/**
 * Resolves the comments that the versions of the drop resolve. Renders page and context of the version unless its artefact is
 * current, then deletes artefacts of older renderers, and purges the drop if there were any. Notes which quotes of comments the latest
 * version has, and which prefixes and suffixes stand beside quotes.
 * Clears the pending task if all versions of the drop are rendered; otherwise enqueues the others.
 */
export class VersionRender implements Job<'version.render'> {
  readonly #deps: WorkerDeps;
  readonly #places: CommentPlaces;
  readonly #sides: CommentSides;

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    this.#places = new CommentPlaces(deps);
    this.#sides = new CommentSides(deps);
  }

  async run({ dropId, versionId }: JobPayload<'version.render'>): Promise<void> {
    const { engine, resolutions } = this.#deps;
    const drop = await engine.pendingTasks.findForRender(dropId, rendererVersion);
    if (drop === null || drop.deleted) return;
    await resolutions.settle(drop);
    const version = drop.versions.find(({ id }) => id === versionId);
    if (version !== undefined) await this.#render(drop, version);
    await this.#lookForQuotes(drop);
    if (drop.pending.includes('render')) await this.#clearTaskOrRenderOthers(drop, versionId);
  }

  async #render(
    { id: dropId, ownerId, renderers }: PendingRender,
    { id: versionId, hasContext }: PendingRender['versions'][number],
  ): Promise<void> {
    const { engine, rendering, jobs, purger } = this.#deps;
    const before = renderers.get(versionId);
    if (before !== rendererVersion) {
      const isRendered = await rendering.renderForJob({ dropId, ownerId, versionId, hasContext });
      if (!isRendered && (await this.#isLive(dropId, versionId)))
        throw new Error(`The document of version ${versionId} of drop ${dropId} is missing`);
    }
    if (before === undefined) return;
    const wasOutdated = await engine.renders.deleteOlder(versionId, rendererVersion);
    if (wasOutdated && purger !== null) await jobs.enqueue('edge.purge', { dropId });
  }

  async #isLive(dropId: string, versionId: string): Promise<boolean> {
    const drop = await this.#deps.engine.pendingTasks.find(dropId);
    return drop !== null && !drop.deleted && drop.versions.some(({ id }) => id === versionId);
  }

  async #lookForQuotes(drop: PendingRender): Promise<void> {
    const threads = await listQuoted(this.#deps.engine.comments, drop);
    await this.#places.note(drop, await this.#sides.decide(drop, threads));
  }

  async #clearTaskOrRenderOthers(drop: PendingRender, versionId: string): Promise<void> {
    const { engine, jobs } = this.#deps;
    const dropId = drop.id;
    const others = drop.versions.filter(
      ({ id }) => id !== versionId && drop.renderers.get(id) !== rendererVersion,
    );
    const unrendered = await findUnrendered(engine.renders, others);
    for (const id of unrendered) await jobs.enqueue('version.render', { dropId, versionId: id });
    if (unrendered.length === 0) await engine.pendingTasks.clearTask(dropId, 'render', drop.rev);
  }
}

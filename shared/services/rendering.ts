import { rendererVersion } from '../domain/render-plan.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import type { DropChores, DropUpkeep } from '../ports/drop-upkeep.ts';
import type { Log } from '../ports/log.ts';
import type { NewRender, PageRenderer } from '../ports/page-renderer.ts';
import type { RenderStore } from '../ports/render-store.ts';

export type Rendering = ReturnType<typeof createRendering>;

/** Makes the pages that are served from the documents that were posted, and keeps them. */
export function createRendering(deps: {
  html: BlobStore;
  renders: RenderStore;
  upkeep: DropUpkeep;
  renderer: PageRenderer;
  log: Log;
  config: { readonly RENDER_BUDGET_MS: number; readonly RENDER_REQUEST_BUDGET_MS: number };
}) {
  const { html, renders, upkeep, renderer, log, config } = deps;
  /** The last render of each version that has not ended: a reader who comes meanwhile shares its outcome. */
  const inFlight = new Map<string, Promise<NewRender>>();

  function render(versionId: string, document: Uint8Array, budgetMs: number): Promise<NewRender> {
    const begun = renderer.render(document, budgetMs).finally(() => {
      if (inFlight.get(versionId) === begun) inFlight.delete(versionId);
    });
    inFlight.set(versionId, begun);
    return begun;
  }

  async function renderVersion(dropId: string, versionId: string): Promise<void> {
    if ((await findUnrendered(renders, [versionId])).length === 0) return;
    const document = await html.get(versionId);
    if (document !== null) {
      // Kept even if it is not whole: nobody gives it more time than this, so it never costs twice.
      await renders.put(versionId, await render(versionId, document, config.RENDER_BUDGET_MS));
      return;
    }
    // The version was removed since the drop was read; otherwise its document is lost, and that must be heard.
    const chores = await upkeep.findChores(dropId);
    if (chores === null || chores.deleted || !chores.versionIds.includes(versionId)) return;
    throw new Error(`The document of version ${versionId} of drop ${dropId} is missing`);
  }

  async function clearIfRendered(chores: DropChores): Promise<void> {
    if (!chores.owed.includes('render')) return;
    if ((await findUnrendered(renders, chores.versionIds)).length > 0) return;
    await upkeep.clearOwed(chores.id, 'render', chores.rev);
  }

  return {
    /**
     * For the job: renders the version unless that is done or it is gone, then notes that no page is owed if
     * every version of the drop is rendered and the drop has not changed meanwhile. May be repeated at any time.
     * It takes its own budget, also while a reader's shorter render runs.
     */
    async renderForJob(dropId: string, versionId: string): Promise<void> {
      const chores = await upkeep.findChores(dropId);
      if (chores === null || chores.deleted) return;
      if (chores.versionIds.includes(versionId)) await renderVersion(dropId, versionId);
      await clearIfRendered(chores);
    },

    /**
     * For a reader who came before the job: the page, made on the spot, and kept for the next one if it is whole;
     * what a reader's budget is too short for is left to the job. A page that cannot be kept is shown all the same.
     */
    async renderForRequest(versionId: string, document: Uint8Array): Promise<NewRender> {
      const shared = inFlight.get(versionId);
      if (shared !== undefined) return shared; // the one who began it keeps it
      const rendered = await render(versionId, document, config.RENDER_REQUEST_BUDGET_MS);
      if (rendered.isWhole) {
        await renders.put(versionId, rendered).catch((error: unknown) => {
          log.error({ err: error, versionId }, 'a page was rendered for a reader and could not be kept');
        });
      }
      return rendered;
    },
  };
}

/** Those of these versions that have no page of the current renderer. */
export async function findUnrendered(renders: RenderStore, versionIds: readonly string[]): Promise<string[]> {
  const rendered = await renders.listRendered(versionIds, rendererVersion);
  return versionIds.filter((versionId) => !rendered.has(versionId));
}

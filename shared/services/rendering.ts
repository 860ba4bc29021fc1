import { rendererVersion } from '../domain/render-plan.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import type { DropChores, DropUpkeep } from '../ports/drop-upkeep.ts';
import type { Log } from '../ports/log.ts';
import type { PageRenderer } from '../ports/page-renderer.ts';
import type { Rendered, RenderStore } from '../ports/render-store.ts';

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
  const inFlight = new Map<string, Promise<Rendered>>();

  /** One render of a version at a time: who asks while it runs shares its outcome. */
  function renderOnce(versionId: string, document: Uint8Array, budgetMs: number): Promise<Rendered> {
    const running = inFlight.get(versionId);
    if (running !== undefined) return running;
    const render = renderer.render(document, budgetMs).finally(() => inFlight.delete(versionId));
    inFlight.set(versionId, render);
    return render;
  }

  async function renderVersion(dropId: string, versionId: string): Promise<void> {
    if (!(await isUnrendered(renders, versionId))) return;
    const document = await html.get(versionId);
    if (document !== null) {
      await renders.put(versionId, await renderOnce(versionId, document, config.RENDER_BUDGET_MS));
      return;
    }
    // The version was removed since the drop was read; otherwise its document is lost, and that must be heard.
    const chores = await upkeep.findChores(dropId);
    if (chores === null || chores.deleted || !chores.versionIds.includes(versionId)) return;
    throw new Error(`The document of version ${versionId} of drop ${dropId} is missing`);
  }

  async function clearIfRendered(chores: DropChores): Promise<void> {
    if (!chores.owed.includes('render')) return;
    if ((await findUnrendered(renders, chores.versionIds, 1)).length > 0) return;
    await upkeep.clearOwed(chores.id, 'render', chores.rev);
  }

  return {
    /**
     * For the job: renders the version unless that is done or it is gone, then notes that no page is owed if
     * every version of the drop is rendered and the drop has not changed meanwhile. May be repeated at any time.
     */
    async renderForJob(dropId: string, versionId: string): Promise<void> {
      const chores = await upkeep.findChores(dropId);
      if (chores === null || chores.deleted) return;
      if (chores.versionIds.includes(versionId)) await renderVersion(dropId, versionId);
      await clearIfRendered(chores);
    },

    /**
     * For a reader who came before the job: the page, made on the spot and kept for the next one. A page that
     * cannot be kept is shown all the same.
     */
    async renderForRequest(versionId: string, document: Uint8Array): Promise<Rendered> {
      const shared = inFlight.has(versionId); // then the one who began it keeps it
      const rendered = await renderOnce(versionId, document, config.RENDER_REQUEST_BUDGET_MS);
      if (!shared) {
        await renders.put(versionId, rendered).catch((error: unknown) => {
          log.error({ err: error, versionId }, 'a page was rendered for a reader and could not be kept');
        });
      }
      return rendered;
    },
  };
}

/** The first `limit` of these versions that have no page of the current renderer. */
export async function findUnrendered(
  renders: RenderStore,
  versionIds: readonly string[],
  limit: number,
): Promise<string[]> {
  const found: string[] = [];
  for (const versionId of versionIds) {
    if (found.length >= limit) break;
    if (await isUnrendered(renders, versionId)) found.push(versionId);
  }
  return found;
}

async function isUnrendered(renders: RenderStore, versionId: string): Promise<boolean> {
  const plan = await renders.findPlan(versionId);
  return plan?.renderer !== rendererVersion;
}

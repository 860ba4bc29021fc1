import { LRUCache } from 'lru-cache';
import type { Page, ShownPage } from '../domain/drop.ts';
import { DropError, notFound } from '../domain/errors.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { ContextRenderer } from '../ports/context-renderer.ts';
import type { DropStore } from '../ports/drop-store.ts';
import type { Log } from '../ports/log.ts';
import type { ContentEncoding, RenderStore } from '../ports/render-store.ts';
import { type Body, type BodyFacts, createPageBodies } from './page-bodies.ts';
import { createPageLookup, type LookedUpPage } from './page-lookup.ts';
import type { Rendering } from './rendering.ts';

const contextCacheCharacters = 4 * 1024 * 1024;

interface FoundPage extends LookedUpPage {
  readonly page: Page;
}

export type Pages = ReturnType<typeof createPages>;

/** The public pages of drops. */
export function createPages(deps: {
  drops: DropStore;
  html: BlobStore;
  contexts: BlobStore;
  renders: RenderStore;
  rendering: Rendering;
  contextRenderer: ContextRenderer;
  clock: Clock;
  log: Log;
  config: { readonly PAGE_CACHE_BYTES: number; readonly RENDER_REQUEST_BUDGET_MS: number };
}) {
  const { contexts, contextRenderer } = deps;
  const lookup = createPageLookup(deps);
  const bodies = createPageBodies(deps);
  const contextCache = new LRUCache<string, string>({
    maxSize: contextCacheCharacters,
    sizeCalculation: (markup) => markup.length + 1,
  });
  const contextsLoading = new Map<string, Promise<string | null>>();

  async function loadContext(versionId: string): Promise<string | null> {
    const bytes = await contexts.get(versionId);
    if (bytes === null) return null;
    const { markup, isFinal } = await contextRenderer.render(Buffer.from(bytes).toString('utf8'));
    if (isFinal) contextCache.set(versionId, markup);
    return markup;
  }

  return {
    /**
     * Finds a drop. The caller checks the passcode.
     * @param number the version; null for the latest. The result's `version` is null if there is no such version
     * @throws DropError `not_found`
     */
    async find(slug: string, number: number | null): Promise<Page> {
      return found(await lookup.find(slug, number, () => false)).page;
    },

    /**
     * Finds a drop, like `find`, for a request of the body. While the database is down it finds a page that was public
     * within the last minute, if its body is in memory; `isConfirmed` is then false.
     * @throws DropError `not_found`
     */
    async findRaw(slug: string, number: number | null, encoding: ContentEncoding): Promise<FoundPage> {
      return found(await lookup.find(slug, number, ({ version }) => bodies.holds(version.id, encoding)));
    },

    /** Call it when the page is hidden: `findRaw` then reads it from the store only. */
    forget: lookup.forget,

    /** The page if its version exists. @throws DropError `version_not_found` */
    requireVersion(page: Page): ShownPage {
      if (isShown(page)) return page;
      throw new DropError('version_not_found', 'This page does not have this version.');
    },

    /** The body's headers without its bytes; null if only `body` can tell. */
    facts(page: ShownPage, encoding: ContentEncoding, isConfirmed: boolean): Promise<BodyFacts | null> {
      return bodies.facts(page.version.id, encoding, isConfirmed);
    },

    /**
     * The body, within about 300 ms: a document that takes longer to render is served without a full parse.
     * @param isConfirmed false to use memory however old it is
     * @returns null if the version was removed since the page was found; find it again
     */
    body(
      { dropId, version }: ShownPage,
      encoding: ContentEncoding,
      isConfirmed: boolean,
    ): Body | Promise<Body | null> {
      return bodies.get({ dropId, versionId: version.id }, encoding, isConfirmed);
    },

    /**
     * The version's context as markup that runs and loads nothing; null for none. Concurrent requests share one
     * rendering.
     */
    async context(page: ShownPage): Promise<string | null> {
      if (!page.version.hasContext) return null;
      const { id } = page.version;
      const cached = contextCache.get(id) ?? contextsLoading.get(id);
      if (cached !== undefined) return cached;
      const loading = loadContext(id).finally(() => contextsLoading.delete(id));
      contextsLoading.set(id, loading);
      return loading;
    },
  };
}

function found({ page, isConfirmed }: LookedUpPage): FoundPage {
  if (page === null) throw notFound('page');
  return { page, isConfirmed };
}

function isShown(page: Page): page is ShownPage {
  return page.version !== null;
}

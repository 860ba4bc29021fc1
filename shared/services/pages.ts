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
import { createPointers, type Pointer } from './pointers.ts';
import type { Rendering } from './rendering.ts';

const contextCacheCharacters = 4 * 1024 * 1024;

/** @see Pointer */
interface FoundPage extends Pointer {
  readonly page: Page;
}

export type Pages = ReturnType<typeof createPages>;

/** What the public reads. */
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
  const pointers = createPointers(deps);
  const bodies = createPageBodies(deps);
  const contextCache = new LRUCache<string, string>({
    maxSize: contextCacheCharacters,
    sizeCalculation: (markup) => markup.length + 1,
  });
  const contextsUnderWay = new Map<string, Promise<string | null>>();

  async function loadContext(versionId: string): Promise<string | null> {
    const bytes = await contexts.get(versionId);
    if (bytes === null) return null;
    const { markup, isFinal } = await contextRenderer.render(Buffer.from(bytes).toString('utf8'));
    if (isFinal) contextCache.set(versionId, markup);
    return markup;
  }

  return {
    /**
     * The drop at the slug with its latest version, or the one of that number. Its gate is the caller's to mind.
     * @throws DropError `not_found`
     */
    async find(slug: string, number: number | null): Promise<Page> {
      return found(await pointers.find(slug, number, () => false)).page;
    },

    /**
     * The same for somebody who wants the body in that encoding. Where the database is down, a page that was public
     * within the last minute and whose body is in memory is found there, and not confirmed.
     * @throws DropError `not_found`
     */
    async findRaw(slug: string, number: number | null, encoding: ContentEncoding): Promise<FoundPage> {
      return found(await pointers.find(slug, number, ({ version }) => bodies.holds(version.id, encoding)));
    },

    /** The page at the slug is hidden in this moment, or may be: `findRaw` finds it in the store only. */
    forget: pointers.forget,

    /** The page, for a reader who has passed its gate. @throws DropError `version_not_found` */
    show(page: Page): ShownPage {
      if (isShown(page)) return page;
      throw new DropError('version_not_found', 'This page has no such version.');
    },

    /** What the body will be, without its bytes where they are not needed to tell; null: ask for the body. */
    facts(page: ShownPage, encoding: ContentEncoding, isConfirmed: boolean): Promise<BodyFacts | null> {
      return bodies.facts(page.version.id, encoding, isConfirmed);
    },

    /**
     * Within about 300 ms, whatever the document holds: what takes longer is made in a hurry.
     * @param isConfirmed whether the page was found in the store just now; else memory serves without a look at it
     * null: the version was removed since the page was looked up; look again.
     */
    body(
      { dropId, version }: ShownPage,
      encoding: ContentEncoding,
      isConfirmed: boolean,
    ): Body | Promise<Body | null> {
      return bodies.get({ dropId, versionId: version.id }, encoding, isConfirmed);
    },

    /**
     * The reasoning trace of the page's version as markup that can run nothing and load nothing; null for none,
     * or none any more. Readers who come together share one rendering.
     */
    async context(page: ShownPage): Promise<string | null> {
      if (!page.version.hasContext) return null;
      const { id } = page.version;
      const held = contextCache.get(id) ?? contextsUnderWay.get(id);
      if (held !== undefined) return held;
      const underWay = loadContext(id).finally(() => contextsUnderWay.delete(id));
      contextsUnderWay.set(id, underWay);
      return underWay;
    },
  };
}

function found({ page, isConfirmed }: Pointer): FoundPage {
  if (page === null) throw notFound('page');
  return { page, isConfirmed };
}

function isShown(page: Page): page is ShownPage {
  return page.version !== null;
}

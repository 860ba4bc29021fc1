import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Page, ShownPage } from '../domain/drop.ts';
import { DropError, notFound } from '../domain/errors.ts';
import { applyPlan } from '../domain/render-plan.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import type { ContextRenderer } from '../ports/context-renderer.ts';
import type { DropStore } from '../ports/drop-store.ts';
import type { CompressedForm, RenderStore } from '../ports/render-store.ts';
import type { Rendering } from './rendering.ts';

const contextCacheCharacters = 4 * 1024 * 1024;

export type Form = CompressedForm | 'identity';

/** A rendered page in one form, ready to be sent. */
export interface Body {
  readonly bytes: Uint8Array;
  /** Strong: of the bytes sent, and their encoding (RFC 9110, section 8.8.3). */
  readonly etag: string;
  /** false: made in a hurry; the job will make a better one, so nobody is to keep this one. */
  readonly isFinal: boolean;
}

export type Pages = ReturnType<typeof createPages>;

/** What the public reads. Bodies are held in memory by the inner id of their version, which never changes meaning. */
export function createPages(deps: {
  drops: DropStore;
  html: BlobStore;
  contexts: BlobStore;
  renders: RenderStore;
  rendering: Rendering;
  contextRenderer: ContextRenderer;
  config: { readonly PAGE_CACHE_BYTES: number };
}) {
  const { drops, html, contexts, renders, rendering, contextRenderer, config } = deps;
  const cache = new LRUCache<string, Body>({
    maxSize: Math.max(1, config.PAGE_CACHE_BYTES),
    sizeCalculation: (body) => body.bytes.byteLength + 512,
  });
  const contextCache = new LRUCache<string, string>({
    maxSize: contextCacheCharacters,
    sizeCalculation: (markup) => markup.length + 1,
  });
  const contextsUnderWay = new Map<string, Promise<string | null>>();

  async function load(versionId: string, form: Form): Promise<Body | null> {
    const kept =
      form === 'identity' ? await loadIdentity(versionId) : await renders.findForm(versionId, form);
    if (kept !== null) return bodyOf(kept, form, true);

    // Nobody waits for the worker: the page is made on the spot, and kept.
    const document = await html.get(versionId);
    if (document === null) return null;
    const rendered = await rendering.renderForRequest(versionId, document);
    const bytes = form === 'identity' ? applyPlan(document, rendered.plan) : rendered[form];
    return bodyOf(bytes, form, rendered.isWhole);
  }

  async function loadIdentity(versionId: string): Promise<Uint8Array | null> {
    const plan = await renders.findPlan(versionId);
    const document = plan === null ? null : await html.get(versionId);
    return plan === null || document === null ? null : applyPlan(document, plan);
  }

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
      const page = await drops.findPage(slug, number);
      if (page === null) throw notFound('page');
      return page;
    },

    /** The page, for a reader who has passed its gate. @throws DropError `version_not_found` */
    show(page: Page): ShownPage {
      const { version } = page;
      if (version === null) throw new DropError('version_not_found', 'This page has no such version.');
      return { ...page, version };
    },

    /** null: the version was removed since the page was looked up; look again. */
    async body(page: ShownPage, form: Form): Promise<Body | null> {
      const { id } = page.version;
      const key = `${id}/${form}`;
      const held = cache.get(key);
      if (held !== undefined) return held;
      const body = await load(id, form);
      if (body?.isFinal) cache.set(key, body);
      return body;
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

function bodyOf(bytes: Uint8Array, form: Form, isFinal: boolean): Body {
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
  return { bytes, etag: `"${digest}-${form}"`, isFinal };
}

import { LRUCache } from 'lru-cache';
import type { EncodingFacts } from '../domain/etag.ts';
import { applyPlan, planSafely } from '../html/plan.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { NewRender } from '../ports/page-renderer.ts';
import type { ContentEncoding, RenderHead, RenderStore, VersionKey } from '../ports/render-store.ts';
import { waitAtMost, withTimeout } from '../util/wait-at-most.ts';
import type { Rendering } from './rendering.ts';
import { createThrottledWarning } from './throttled-warning.ts';

/** A head takes some hundred bytes. */
const maxHeads = 20_000;
/** A page that was rendered again, here or in another process, is served after this time at the latest. */
const headMaxAgeMs = 30_000;
/** How long a request waits for a head to be read again. */
const refreshWaitMs = 40;
/** Memory that a body takes in addition to its bytes. */
const bodyOverheadBytes = 512;

/** What the headers say about a body that can be served now. */
export interface BodyFacts {
  /** A page that was made without a full parse has `identity`, whatever encoding was requested. */
  readonly encoding: ContentEncoding;
  readonly byteLength: number;
  /** A strong ETag of bytes and encoding (RFC 9110, section 8.8.3); null if the body is not final. */
  readonly etag: string | null;
  /** false: made without a full parse. The job will make a better one, so no cache may keep this one. */
  readonly isFinal: boolean;
}

/** A page in one encoding. */
export interface Body extends BodyFacts {
  readonly bytes: Uint8Array;
}

/** The head of a stored page. `artefacts` is null if the page was just rendered here: their ids are not known then. */
type KnownHead = Omit<RenderHead, 'artefacts'> & { readonly artefacts: RenderHead['artefacts'] | null };

interface CachedHead {
  readonly head: KnownHead;
  /** The keys of its bodies in the cache. */
  readonly keys: Readonly<Record<ContentEncoding, string>>;
  /** Unix ms. */
  readonly readAt: number;
}

/**
 * Bodies of pages: from memory, else from the store, else rendered on demand. Memory has two caches: bodies by version
 * and ETag, and for each version its head, from which the ETags follow.
 */
export function createPageBodies(deps: {
  html: BlobStore;
  renders: RenderStore;
  rendering: Rendering;
  clock: Clock;
  log: Log;
  config: { readonly PAGE_CACHE_BYTES: number; readonly RENDER_REQUEST_BUDGET_MS: number };
}) {
  const { html, renders, rendering, clock, config } = deps;
  const warnNotFullyParsed = createThrottledWarning(deps, 'a page was served without a full parse');
  const heads = new LRUCache<string, CachedHead>({ max: maxHeads });
  const bodies = new LRUCache<string, Body>({
    maxSize: Math.max(1, config.PAGE_CACHE_BYTES),
    sizeCalculation: ({ byteLength }) => byteLength + bodyOverheadBytes,
  });
  const loading = new Map<string, Promise<Body | null>>();
  const refreshing = new Map<string, Promise<void>>();

  function cacheHead(versionId: string, head: KnownHead): void {
    const keyFor = (encoding: ContentEncoding) => keyOf(versionId, encoding, head);
    const keys = { identity: keyFor('identity'), br: keyFor('br'), gzip: keyFor('gzip') };
    heads.set(versionId, { head, keys, readAt: clock.now() });
  }

  function isStale({ readAt }: CachedHead): boolean {
    return Math.abs(clock.now() - readAt) >= headMaxAgeMs;
  }

  /** The cached head, read again if it is stale. If that read is late or fails, the stale head is used. */
  async function findCached(versionId: string, mayRefresh: boolean): Promise<CachedHead | undefined> {
    const cached = heads.get(versionId);
    if (mayRefresh && cached !== undefined && isStale(cached))
      await waitAtMost(refreshWaitMs, refresh(versionId));
    return heads.get(versionId);
  }

  /** Never rejects: if the store is down, the next request tries again. */
  function refresh(versionId: string): Promise<void> {
    let running = refreshing.get(versionId);
    if (running === undefined) {
      running = readAgain(versionId)
        .catch(() => undefined)
        .finally(() => refreshing.delete(versionId));
      refreshing.set(versionId, running);
    }
    return running;
  }

  async function readAgain(versionId: string): Promise<void> {
    if ((await readHead(versionId)) !== null) return;
    // A page that was just rendered here may not be stored yet, and is valid.
    if (heads.peek(versionId)?.head.artefacts !== null) heads.delete(versionId);
  }

  async function readHead(versionId: string): Promise<RenderHead | null> {
    const head = await renders.findHead(versionId);
    if (head !== null) cacheHead(versionId, head);
    return head;
  }

  async function load(
    version: VersionKey,
    encoding: ContentEncoding,
    mayRefresh: boolean,
  ): Promise<Body | null> {
    const cached = await findCached(version.versionId, mayRefresh);
    const inMemory = cached === undefined ? undefined : bodies.get(cached.keys[encoding]);
    if (inMemory !== undefined) return inMemory;
    const known = cached?.head;
    if (known?.artefacts) {
      const stored = await loadStored(version, encoding, { ...known, artefacts: known.artefacts });
      if (stored !== null) return stored;
    }
    const head = await readHead(version.versionId); // the artefacts may have been replaced since
    const stored = head === null ? null : await loadStored(version, encoding, head);
    return stored ?? renderNow(version, encoding);
  }

  /** @returns null if the artefact was replaced or removed */
  async function loadStored(
    version: VersionKey,
    encoding: ContentEncoding,
    head: RenderHead,
  ): Promise<Body | null> {
    const { versionId } = version;
    const inMemory = bodies.get(keyOf(versionId, encoding, head));
    if (inMemory !== undefined) return inMemory;
    const bytes = await (encoding === 'identity'
      ? html.get(versionId).then((document) => document && applyPlan(document, head.plan))
      : renders.findArtefact(head.artefacts[encoding]));
    if (bytes === null || (encoding !== 'identity' && bytes.byteLength !== head.facts[encoding].byteLength))
      return null;
    if (encoding === 'br' && !head.isSqueezed) rendering.squeezeSoon(version);
    return cacheBody(versionId, bodyOf(bytes, encoding, head.facts[encoding]));
  }

  function cacheBody(versionId: string, body: Body): Body {
    bodies.set(`${versionId}/${body.etag}`, body); // the same key as `keyOf`; a final body has an ETag
    return body;
  }

  /** Renders a page that the job has not rendered yet. @returns null if the version was removed */
  async function renderNow(version: VersionKey, encoding: ContentEncoding): Promise<Body | null> {
    const document = await html.get(version.versionId);
    if (document === null) return null;
    const made = await renderInTime(version, document);
    if (made === null) return bodyWithoutParse(document);
    const bytes = encoding === 'identity' ? applyPlan(document, made.plan) : made[encoding];
    const body = bodyOf(bytes, encoding, made.facts[encoding]);
    if (!made.isFullyParsed) return { ...body, etag: null, isFinal: false };
    cacheHead(version.versionId, { plan: made.plan, facts: made.facts, artefacts: null, isSqueezed: false });
    if (encoding === 'br') rendering.squeezeSoon(version);
    return cacheBody(version.versionId, body);
  }

  /** @returns null if the render takes too long or fails */
  async function renderInTime(version: VersionKey, document: Uint8Array): Promise<NewRender | null> {
    const rendered = rendering.renderForRequest(version, document);
    const timeoutError = () => new Error('the render exceeded RENDER_REQUEST_BUDGET_MS');
    try {
      return await withTimeout(config.RENDER_REQUEST_BUDGET_MS, rendered, timeoutError);
    } catch (err) {
      warnNotFullyParsed({ err, ...version });
      return null;
    }
  }

  return {
    /** Whether the body is in memory. */
    holds(versionId: string, encoding: ContentEncoding): boolean {
      const cached = heads.peek(versionId);
      return cached !== undefined && bodies.has(cached.keys[encoding]);
    },

    /** @param mayRefresh see `get` @returns null if the page is not rendered; call `get` then */
    async facts(
      versionId: string,
      encoding: ContentEncoding,
      mayRefresh: boolean,
    ): Promise<BodyFacts | null> {
      const head = (await findCached(versionId, mayRefresh))?.head ?? (await readHead(versionId));
      return head === null ? null : bodyFactsOf(encoding, head.facts[encoding]);
    },

    /**
     * Concurrent requests share one load.
     * @param mayRefresh false if the database is down: memory is then used however old it is
     * @returns null if the version was removed since the page was looked up
     */
    get(version: VersionKey, encoding: ContentEncoding, mayRefresh: boolean): Body | Promise<Body | null> {
      const { versionId } = version;
      const cached = heads.get(versionId);
      if (cached !== undefined && !(mayRefresh && isStale(cached))) {
        const inMemory = bodies.get(cached.keys[encoding]);
        if (inMemory !== undefined) return inMemory;
      }
      const key = `${versionId}/${encoding}`;
      let running = loading.get(key);
      if (running === undefined) {
        running = load(version, encoding, mayRefresh).finally(() => loading.delete(key));
        loading.set(key, running);
      }
      return running;
    },
  };
}

function keyOf(versionId: string, encoding: ContentEncoding, { facts }: KnownHead): string {
  return `${versionId}/${etagOf(encoding, facts[encoding])}`;
}

function etagOf(encoding: ContentEncoding, { digest }: EncodingFacts): string {
  return `"${digest}-${encoding}"`;
}

function bodyFactsOf(encoding: ContentEncoding, facts: EncodingFacts): BodyFacts {
  return { encoding, byteLength: facts.byteLength, etag: etagOf(encoding, facts), isFinal: true };
}

function bodyOf(bytes: Uint8Array, encoding: ContentEncoding, facts: EncodingFacts): Body {
  return { ...bodyFactsOf(encoding, facts), bytes };
}

/** The document with the insertion that `planSafely` finds. */
function bodyWithoutParse(document: Uint8Array): Body {
  const bytes = applyPlan(document, planSafely(document));
  return { encoding: 'identity', byteLength: bytes.byteLength, etag: null, isFinal: false, bytes };
}

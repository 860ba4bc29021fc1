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

/** Some hundred bytes each. */
const headsKept = 20_000;
/** A page that is made again, here or in another process, is served after this time at the latest. */
const headFreshMs = 30_000;
/** How long a request waits for that look. */
const lookWithinMs = 40;
/** Beside the bytes: what a body costs in memory. */
const bodyOverhead = 512;

/** What is told of a page in one encoding before its bytes are sent. */
export interface BodyFacts {
  /** The one it has; a page that was made in a hurry has `identity`, whatever was asked for. */
  readonly encoding: ContentEncoding;
  readonly byteLength: number;
  /** Strong: of the bytes sent, and their encoding (RFC 9110, section 8.8.3). null: nobody is to keep it anyway. */
  readonly etag: string | null;
  /** false: made in a hurry; the job will make a better one, so nobody is to keep this one. */
  readonly isFinal: boolean;
}

/** A page in one encoding, ready to be sent. */
export interface Body extends BodyFacts {
  readonly bytes: Uint8Array;
}

/** A page as it is kept, or as it was just made here: then the names of its artefacts are not known. */
type Known = Omit<RenderHead, 'artefacts'> & { readonly artefacts: RenderHead['artefacts'] | null };

interface Held {
  readonly known: Known;
  /** Under which its bodies are held. */
  readonly keys: Readonly<Record<ContentEncoding, string>>;
  /** Unix ms. */
  readonly readAt: number;
}

/**
 * Bodies of pages: from memory, else as they are kept, else made on the spot. Memory holds them by their content, and
 * beside them which content a version's page has.
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
  const warnOfHurry = createThrottledWarning(deps, 'a page was served in a hurry');
  const heads = new LRUCache<string, Held>({ max: headsKept });
  const bodies = new LRUCache<string, Body>({
    maxSize: Math.max(1, config.PAGE_CACHE_BYTES),
    sizeCalculation: ({ byteLength }) => byteLength + bodyOverhead,
  });
  const loading = new Map<string, Promise<Body | null>>();
  const refreshing = new Map<string, Promise<void>>();

  function hold(versionId: string, known: Known): void {
    const keyFor = (encoding: ContentEncoding) => keyOf(versionId, encoding, known);
    const keys = { identity: keyFor('identity'), br: keyFor('br'), gzip: keyFor('gzip') };
    heads.set(versionId, { known, keys, readAt: clock.now() });
  }

  function isStale({ readAt }: Held): boolean {
    return Math.abs(clock.now() - readAt) >= headFreshMs;
  }

  /** What is held, looked at again where that is due. A look that is late or fails leaves what is held as it is. */
  async function findLooked(versionId: string, mayLook: boolean): Promise<Held | undefined> {
    const held = heads.get(versionId);
    if (mayLook && held !== undefined && isStale(held)) await waitAtMost(lookWithinMs, refresh(versionId));
    return heads.get(versionId);
  }

  /** Never rejects: where the store is away, the next request looks again. */
  function refresh(versionId: string): Promise<void> {
    let underWay = refreshing.get(versionId);
    if (underWay === undefined) {
      underWay = look(versionId)
        .catch(() => undefined)
        .finally(() => refreshing.delete(versionId));
      refreshing.set(versionId, underWay);
    }
    return underWay;
  }

  async function look(versionId: string): Promise<void> {
    if ((await readHead(versionId)) !== null) return;
    // One that was just made here is not kept yet, or could not be, and is good all the same.
    if (heads.peek(versionId)?.known.artefacts !== null) heads.delete(versionId);
  }

  async function readHead(versionId: string): Promise<RenderHead | null> {
    const head = await renders.findHead(versionId);
    if (head !== null) hold(versionId, head);
    return head;
  }

  async function load(
    version: VersionKey,
    encoding: ContentEncoding,
    mayLook: boolean,
  ): Promise<Body | null> {
    const held = await findLooked(version.versionId, mayLook);
    const inMemory = held === undefined ? undefined : bodies.get(held.keys[encoding]);
    if (inMemory !== undefined) return inMemory;
    const known = held?.known;
    if (known?.artefacts) {
      const kept = await loadKept(version, encoding, { ...known, artefacts: known.artefacts });
      if (kept !== null) return kept;
    }
    const head = await readHead(version.versionId); // what was held may have been replaced, and taken since
    const kept = head === null ? null : await loadKept(version, encoding, head);
    return kept ?? make(version, encoding);
  }

  /** null: its artefact was taken, or it goes with its version. */
  async function loadKept(
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
    return keep(versionId, bodyOf(bytes, encoding, head.facts[encoding]));
  }

  function keep(versionId: string, body: Body): Body {
    bodies.set(`${versionId}/${body.etag}`, body); // proof: what is final has one
    return body;
  }

  /** Nobody waits for the worker: the page is made on the spot. null: no such version any more. */
  async function make(version: VersionKey, encoding: ContentEncoding): Promise<Body | null> {
    const document = await html.get(version.versionId);
    if (document === null) return null;
    const made = await renderInTime(version, document);
    if (made === null) return bodyInHurry(document);
    const bytes = encoding === 'identity' ? applyPlan(document, made.plan) : made[encoding];
    const body = bodyOf(bytes, encoding, made.facts[encoding]);
    if (!made.isWhole) return { ...body, etag: null, isFinal: false };
    hold(version.versionId, { plan: made.plan, facts: made.facts, artefacts: null, isSqueezed: false });
    if (encoding === 'br') rendering.squeezeSoon(version);
    return keep(version.versionId, body);
  }

  /** null: it takes too long, or fails. */
  async function renderInTime(version: VersionKey, document: Uint8Array): Promise<NewRender | null> {
    const rendered = rendering.renderForRequest(version, document);
    const late = () => new Error('The render takes longer than a reader waits');
    try {
      return await withTimeout(config.RENDER_REQUEST_BUDGET_MS, rendered, late);
    } catch (err) {
      warnOfHurry({ err, ...version });
      return null;
    }
  }

  return {
    /** Whether the body is in memory. */
    holds(versionId: string, encoding: ContentEncoding): boolean {
      const held = heads.peek(versionId);
      return held !== undefined && bodies.has(held.keys[encoding]);
    },

    /** null: not made yet; what is asked for the body. @param mayLook see `get` */
    async facts(versionId: string, encoding: ContentEncoding, mayLook: boolean): Promise<BodyFacts | null> {
      const known = (await findLooked(versionId, mayLook))?.known ?? (await readHead(versionId));
      return known === null ? null : bodyFactsOf(encoding, known.facts[encoding]);
    },

    /**
     * Readers who come together share one load. null: the version was removed since the page was looked up.
     * @param mayLook false: the database is down, and what is in memory is served as it is
     */
    get(version: VersionKey, encoding: ContentEncoding, mayLook: boolean): Body | Promise<Body | null> {
      const { versionId } = version;
      const held = heads.get(versionId);
      if (held !== undefined && !(mayLook && isStale(held))) {
        const inMemory = bodies.get(held.keys[encoding]);
        if (inMemory !== undefined) return inMemory;
      }
      const key = `${versionId}/${encoding}`;
      let underWay = loading.get(key);
      if (underWay === undefined) {
        underWay = load(version, encoding, mayLook).finally(() => loading.delete(key));
        loading.set(key, underWay);
      }
      return underWay;
    },
  };
}

function keyOf(versionId: string, encoding: ContentEncoding, { facts }: Known): string {
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

/** The document with what can be put into it without a full parse. */
function bodyInHurry(document: Uint8Array): Body {
  const bytes = applyPlan(document, planSafely(document));
  return { encoding: 'identity', byteLength: bytes.byteLength, etag: null, isFinal: false, bytes };
}

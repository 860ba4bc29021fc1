import { LRUCache } from 'lru-cache';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Clock } from '../domain/clock.ts';
import type { PageWithVersion } from '../drops/drop.ts';
import { putFirstInHeadSafely } from '../html/first-in-head.ts';
import { applyPlan, planSafely, rendererVersion } from '../html/insertion.ts';
import type { JobProducer } from '../jobs/job-queue.ts';
import type { Log } from '../log/log.ts';
import type { MemoryReading } from '../metrics/metrics.ts';
import type { ContentEncoding, RenderHead, RenderStore } from '../renders/render-store.ts';
import { asPlainText, type Rendering, type VersionToRender } from '../renders/rendering.ts';
import { withTimeout } from '../util/promises.ts';
import {
  type Body,
  type BodyFacts,
  bodyFactsOf,
  bodyOf,
  type Framing,
  framedBody,
  unfinishedBody,
} from './body.ts';
import { CountedCache } from './counted-cache.ts';
import { FramingBudget } from './framing-budget.ts';
import { SharedCalls } from './shared-calls.ts';

/** Memory that an entry takes in addition to bodies, context and insertion. */
const entryOverheadBytes = 1_024;
/** How long a page of an older renderer is not enqueued again. */
const enqueueAgainMs = 10_000;
const maxEnqueued = 10_000;

type Bodies = Readonly<Partial<Record<ContentEncoding, Body>>>;

/** What is in memory of one version. */
interface Entry {
  readonly head?: RenderHead;
  readonly bodies: Bodies;
  /** The same with the script of the viewer's frame. */
  readonly framed?: Bodies;
  readonly context?: string;
}

interface Deps {
  readonly html: BlobStore;
  readonly renders: RenderStore;
  readonly rendering: Pick<Rendering, 'renderForRequest' | 'framePage'>;
  readonly jobs: JobProducer;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: { readonly PAGE_CACHE_BYTES: number; readonly RENDER_REQUEST_BUDGET_MS: number };
}

/**
 * From memory, the stored artefact, or rendered on demand. An older renderer's artefact is served while it is rendered again.
 */
export class PageBodies {
  readonly #deps: Deps;
  readonly #counted;
  /** Versions whose render was enqueued a short time ago. */
  readonly #enqueued: LRUCache<string, true>;
  readonly #framingBudget: FramingBudget;
  readonly #loads = new SharedCalls<Body | null>();
  readonly #contextLoads = new SharedCalls<string | null>();

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#counted = new CountedCache<Entry>(deps.config.PAGE_CACHE_BYTES, sizeOf);
    this.#framingBudget = new FramingBudget(deps.clock);
    this.#enqueued = new LRUCache<string, true>({
      max: maxEnqueued,
      ttl: enqueueAgainMs,
      ttlResolution: 0,
      perf: deps.clock,
    });
  }

  /** The body if it is in memory. Synchronous. @param framing null: the raw page, here and in `facts` and `get` */
  getCached(versionId: string, encoding: ContentEncoding, framing: Framing | null = null): Body | undefined {
    const body = this.#known(versionId, encoding, framing);
    this.#counted.count(body !== undefined);
    return body;
  }

  /** What `getCached` found. */
  reading(): MemoryReading {
    return this.#counted.reading();
  }

  /** The body's headers without its bytes; null if only `get` can tell: the version, or its body for the frame, is not made yet. */
  async facts(
    page: PageWithVersion,
    encoding: ContentEncoding,
    framing: Framing | null = null,
  ): Promise<BodyFacts | null> {
    const body = this.#known(page.version.id, encoding, framing);
    if (body !== undefined) return body;
    if (framing !== null) return null;
    const head = await this.#findHead(versionToRender(page));
    return head && bodyFactsOf(encoding, head);
  }

  /** Within RENDER_REQUEST_BUDGET_MS. @returns null if the version was removed since the page was found; find it again */
  get(
    page: PageWithVersion,
    encoding: ContentEncoding,
    framing: Framing | null = null,
  ): Body | Promise<Body | null> {
    const { id } = page.version;
    const known = this.#known(id, encoding, framing);
    if (known !== undefined) return known;
    const version = versionToRender(page);
    if (framing !== null)
      return this.#loads.run(`${id}/framed/${encoding}`, () => this.#loadFramed(version, encoding, framing));
    const entryOf = (body: Body) => ({ bodies: { [encoding]: body } });
    return this.#loads.run(`${id}/${encoding}`, () => this.#load(version, encoding, entryOf));
  }

  /** Like `context`, but synchronous; undefined if the context is not in memory. */
  getCachedContext({ version }: PageWithVersion): string | null | undefined {
    return version.hasContext ? this.#memory.get(version.id)?.context : null;
  }

  /** Safe markup; the escaped text after RENDER_REQUEST_BUDGET_MS. @returns null: no context, or the version was removed */
  async context(page: PageWithVersion): Promise<string | null> {
    const { id, hasContext } = page.version;
    if (!hasContext) return null;
    const known = this.#memory.get(id)?.context;
    return known ?? this.#contextLoads.run(id, () => this.#loadContext(versionToRender(page)));
  }

  get #memory() {
    return this.#counted.cache;
  }

  #known(versionId: string, encoding: ContentEncoding, framing: Framing | null): Body | undefined {
    const entry = this.#memory.get(versionId);
    return (framing === null ? entry?.bodies : entry?.framed)?.[encoding];
  }

  #remember(versionId: string, parts: Partial<Entry>): void {
    const before = this.#memory.peek(versionId);
    const bodies = { ...before?.bodies, ...parts.bodies };
    const framed = { ...before?.framed, ...parts.framed };
    this.#memory.set(versionId, { ...before, ...parts, bodies, framed });
  }

  /** null: not rendered yet. */
  async #findHead(version: VersionToRender): Promise<RenderHead | null> {
    const known = this.#memory.get(version.versionId)?.head;
    if (known !== undefined) return known;
    const head = await this.#deps.renders.findHead(version.versionId, rendererVersion);
    if (head === null) return null;
    if (isCurrent(head)) this.#remember(version.versionId, { head });
    else this.#renderAgain(version);
    return head;
  }

  #renderAgain({ dropId, versionId }: VersionToRender): void {
    if (this.#enqueued.has(versionId)) return;
    this.#enqueued.set(versionId, true);
    const { jobs, log } = this.#deps;
    jobs.enqueue('version.render', { dropId, versionId }).catch((err: unknown) => {
      log.warn({ err, versionId }, 'the render of an outdated page could not be enqueued');
    });
  }

  /**
   * Reads twice, because an older artefact is deleted when a newer one is stored, also between head and bytes. null: none.
   */
  async #readArtefact<T>(
    version: VersionToRender,
    read: (head: RenderHead) => Promise<T | null>,
    entryOf: (found: T) => Partial<Entry>,
  ): Promise<T | null> {
    for (let attempt = 0; attempt < 2; attempt++) {
      const head = await this.#findHead(version);
      if (head === null) return null;
      const found = await read(head);
      if (found !== null) {
        if (isCurrent(head)) this.#remember(version.versionId, entryOf(found));
        return found;
      }
      this.#memory.delete(version.versionId);
    }
    return null;
  }

  /** @param entryOf what to keep of a body that is not of an older renderer @returns null if the version was removed */
  async #load(
    version: VersionToRender,
    encoding: ContentEncoding,
    entryOf: (body: Body) => Partial<Entry>,
  ): Promise<Body | null> {
    const read = (head: RenderHead) => this.#readBody(version, head, encoding);
    const stored = await this.#readArtefact(version, read, entryOf);
    if (stored !== null) return stored;
    const running = this.#deps.rendering.renderForRequest(version);
    const document = await running.document;
    if (document === null) return null;
    const page = await this.#inTime(version, running.page, 'a page was served without a full parse');
    if (page === null) return unfinishedBody(applyPlan(document, planSafely(document)));
    const bytes = encoding === 'identity' ? applyPlan(document, page.plan) : page[encoding];
    const body = bodyOf(bytes, encoding, page);
    this.#remember(version.versionId, entryOf(body));
    return body;
  }

  /**
   * Made in a thread of the raw page, which is not kept beside it; here and without compression if the owner's budget is spent.
   * @returns null if the version was removed
   */
  async #loadFramed(
    version: VersionToRender,
    encoding: ContentEncoding,
    framing: Framing,
  ): Promise<Body | null> {
    const { versionId, ownerId } = version;
    const known = this.#known(versionId, 'identity', null);
    let isCurrent = known !== undefined;
    const noteCurrent = () => {
      isCurrent = true;
      return {};
    };
    const raw = known ?? (await this.#load(version, 'identity', noteCurrent));
    if (raw === null) return null;
    const { bytes, etag } = raw;
    if (etag === null || !this.#framingBudget.take(ownerId, bytes.byteLength))
      return unfinishedBody(putFirstInHeadSafely(bytes, framing.script));
    const made = this.#deps.rendering.framePage(ownerId, bytes, framing.script, encoding).then((framed) => {
      const body = framedBody(framed, encoding, etag, framing);
      if (isCurrent) this.#remember(versionId, { framed: { [encoding]: body } });
      return body;
    });
    const body = await this.#inTime(version, made, 'a page was framed without compression');
    return body ?? unfinishedBody(putFirstInHeadSafely(bytes, framing.script));
  }

  /** The document with its insertion, or the stored compressed body. null: it was removed */
  async #readBody(
    { versionId }: VersionToRender,
    head: RenderHead,
    encoding: ContentEncoding,
  ): Promise<Body | null> {
    const { html, renders } = this.#deps;
    if (encoding === 'identity') {
      const document = await html.get(versionId);
      return document && bodyOf(applyPlan(document, head.plan), encoding, head);
    }
    const bytes = await renders.findPart(versionId, head, encoding);
    return bytes && bodyOf(bytes, encoding, head);
  }

  /** @returns null if the version was removed */
  async #loadContext(version: VersionToRender): Promise<string | null> {
    const read = async (head: RenderHead) => {
      const bytes = await this.#deps.renders.findPart(version.versionId, head, 'context');
      return bytes && Buffer.from(bytes).toString('utf8');
    };
    const stored = await this.#readArtefact(version, read, (context) => ({ context }));
    if (stored !== null) return stored;
    const running = this.#deps.rendering.renderForRequest(version);
    const text = await running.contextText;
    if (text === null) return null;
    const context = await this.#inTime(version, running.context, 'a context was served as text');
    if (context === null) return asPlainText(text);
    this.#remember(version.versionId, { context });
    return context;
  }

  /** @param outcome for the log @returns null if the render takes too long or fails */
  async #inTime<T>(version: VersionToRender, rendered: Promise<T>, outcome: string): Promise<T | null> {
    const { config, log } = this.#deps;
    const timeoutError = () => new Error('the render exceeded RENDER_REQUEST_BUDGET_MS');
    try {
      return await withTimeout(config.RENDER_REQUEST_BUDGET_MS, rendered, timeoutError);
    } catch (err) {
      log.warn({ err, ...version }, outcome);
      return null;
    }
  }
}

function versionToRender({ dropId, ownerId, version }: PageWithVersion): VersionToRender {
  return { dropId, ownerId, versionId: version.id, hasContext: version.hasContext };
}

function isCurrent({ plan }: RenderHead): boolean {
  return plan.renderer === rendererVersion;
}

function sizeOf({ head, bodies, framed = {}, context = '' }: Entry): number {
  const sizes = [...Object.values(bodies), ...Object.values(framed)].map(({ byteLength }) => byteLength);
  const insertion = head?.plan.insertion.length ?? 0;
  return sizes.reduce((sum, size) => sum + size, entryOverheadBytes + insertion + 2 * context.length);
}

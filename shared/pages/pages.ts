import type { BlobStore } from '../blobs/blob-store.ts';
import type { Clock } from '../domain/clock.ts';
import { notFound, versionNotFound } from '../domain/errors.ts';
import { hasVersion, type Page, type PageWithVersion, type Version } from '../drops/drop.ts';
import type { DropStore } from '../drops/drop-store.ts';
import type { JobProducer } from '../jobs/job-queue.ts';
import type { Log } from '../log/log.ts';
import type { ContentEncoding, RenderStore } from '../renders/render-store.ts';
import type { Rendering } from '../renders/rendering.ts';
import type { Body, BodyFacts, Framing } from './body.ts';
import { PageBodies } from './page-bodies.ts';
import { type FoundPage, PageCache } from './page-cache.ts';
import type { PageChanges } from './page-changes.ts';

/** The public pages of drops. */
export class Pages {
  readonly #drops: Pick<DropStore, 'listVersions'>;
  readonly #html: Pick<BlobStore, 'get'>;
  readonly #cache: PageCache;
  readonly #bodies: PageBodies;

  constructor(deps: {
    drops: DropStore;
    changes: PageChanges;
    html: BlobStore;
    renders: RenderStore;
    rendering: Rendering;
    jobs: JobProducer;
    clock: Clock;
    log: Log;
    config: { readonly PAGE_CACHE_BYTES: number; readonly RENDER_REQUEST_BUDGET_MS: number };
  }) {
    this.#drops = deps.drops;
    this.#html = deps.html;
    this.#cache = new PageCache(deps);
    this.#bodies = new PageBodies(deps);
  }

  /**
   * Finds a drop. The caller checks the passcode.
   * @param number the version; null for the latest. The result's `version` is null if there is no such version
   * @throws DropError `not_found`
   */
  async find(slug: string, number: number | null): Promise<Page> {
    return (await this.#cache.find(slug, number, () => false)).page;
  }

  /**
   * Like `find`, for a request of the body. While the database is down: a page that was public within the last minute, if its
   * body is in memory; `isConfirmed` is then false.
   */
  findRaw(
    slug: string,
    number: number | null,
    encoding: ContentEncoding,
    framing: Framing | null,
  ): Promise<FoundPage> {
    const hasBody = ({ version }: PageWithVersion) =>
      this.#bodies.getCached(version.id, encoding, framing) !== undefined;
    return this.#cache.find(slug, number, hasBody);
  }

  /** The page if it is in memory and provably current, for a response in the same synchronous step. null: call `find`. */
  getCached(slug: string, number: number | null): PageWithVersion | null {
    return this.#cache.getCached(slug, number);
  }

  /** Like `getCached`, with its body; null also if the body is not in memory. */
  getCachedWithBody(
    slug: string,
    number: number | null,
    encoding: ContentEncoding,
    framing: Framing | null = null,
  ): { page: PageWithVersion; body: Body } | null {
    const page = this.#cache.getCached(slug, number);
    if (page === null) return null;
    const body = this.#bodies.getCached(page.version.id, encoding, framing);
    return body === undefined ? null : { page, body };
  }

  /** For metrics. */
  get readings() {
    return {
      pages: () => this.#cache.reading(),
      bodies: () => this.#bodies.reading(),
      discardedReads: () => this.#cache.discardedReads(),
    };
  }

  /** The page if its version exists. @throws DropError `version_not_found` */
  requireVersion(page: Page): PageWithVersion {
    if (hasVersion(page)) return page;
    throw versionNotFound();
  }

  /** See PageBodies, as the next three. */
  facts(...wanted: Parameters<PageBodies['facts']>): Promise<BodyFacts | null> {
    return this.#bodies.facts(...wanted);
  }

  body(...wanted: Parameters<PageBodies['get']>): Body | Promise<Body | null> {
    return this.#bodies.get(...wanted);
  }

  context(page: PageWithVersion): Promise<string | null> {
    return this.#bodies.context(page);
  }

  getCachedContext(page: PageWithVersion): string | null | undefined {
    return this.#bodies.getCachedContext(page);
  }

  /** Every version, newest first. The caller checks the passcode. @throws DropError `not_found` */
  async versions({ ownerId, slug }: Page): Promise<Version[]> {
    const versions = await this.#drops.listVersions(ownerId, slug);
    if (versions === null) throw notFound('page');
    return versions;
  }

  /** The document as posted. The caller checks the passcode. @throws DropError `not_found` if the version was removed */
  async document({ version }: PageWithVersion): Promise<Uint8Array> {
    const document = await this.#html.get(version.id);
    if (document === null) throw notFound('version');
    return document;
  }
}

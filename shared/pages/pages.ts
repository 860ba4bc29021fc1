import type { BlobStore } from '../blobs/blob-store.ts';
import type { Clock } from '../domain/clock.ts';
import { notFound, versionNotFound } from '../domain/errors.ts';
import { hasVersion, type Page, type PageWithVersion, type Version } from '../drops/drop.ts';
import type { DropStore } from '../drops/drop-store.ts';
import type { JobProducer } from '../jobs/job-queue.ts';
import type { Log } from '../log/log.ts';
import type { ContentEncoding, RenderStore } from '../renders/render-store.ts';
import type { Rendering } from '../renders/rendering.ts';
import { type Body, createPageBodies } from './page-bodies.ts';
import { createPageCache, type FoundPage } from './page-cache.ts';
import type { PageChanges } from './page-changes.ts';

/** The public pages of drops. */
export function createPages(deps: {
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
  const cache = createPageCache(deps);
  const bodies = createPageBodies(deps);

  return {
    /**
     * Finds a drop. The caller checks the passcode.
     * @param number the version; null for the latest. The result's `version` is null if there is no such version
     * @throws DropError `not_found`
     */
    async find(slug: string, number: number | null): Promise<Page> {
      return (await cache.find(slug, number, () => false)).page;
    },

    /**
     * Like `find`, for a request of the body. While the database is down: a page that was public within the last minute, if its
     * body is in memory; `isConfirmed` is then false.
     */
    findRaw(slug: string, number: number | null, encoding: ContentEncoding): Promise<FoundPage> {
      return cache.find(slug, number, ({ version }) => bodies.getCached(version.id, encoding) !== undefined);
    },

    /** The page if it is in memory and provably current, for a response in the same synchronous step. null: call `find`. */
    getCached: cache.getCached,

    /** Like `getCached`, with its body; null also if the body is not in memory. */
    getCachedWithBody(
      slug: string,
      number: number | null,
      encoding: ContentEncoding,
    ): { page: PageWithVersion; body: Body } | null {
      const page = cache.getCached(slug, number);
      const body = page === null ? undefined : bodies.getCached(page.version.id, encoding);
      return page === null || body === undefined ? null : { page, body };
    },

    readings: { pages: cache.reading, bodies: bodies.reading, discardedReads: cache.discardedReads },

    /** The page if its version exists. @throws DropError `version_not_found` */
    requireVersion(page: Page): PageWithVersion {
      if (hasVersion(page)) return page;
      throw versionNotFound();
    },

    facts: bodies.facts,
    body: bodies.get,
    context: bodies.context,
    getCachedContext: bodies.getCachedContext,

    /** Every version, newest first. The caller checks the passcode. @throws DropError `not_found` */
    async versions({ ownerId, slug }: Page): Promise<Version[]> {
      const versions = await deps.drops.listVersions(ownerId, slug);
      if (versions === null) throw notFound('page');
      return versions;
    },

    /** The document as posted. The caller checks the passcode. @throws DropError `not_found` if the version was removed */
    async document({ version }: PageWithVersion): Promise<Uint8Array> {
      const document = await deps.html.get(version.id);
      if (document === null) throw notFound('version');
      return document;
    },
  };
}

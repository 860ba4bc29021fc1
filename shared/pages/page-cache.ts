import type { Clock } from '../domain/clock.ts';
import { isDown, notFound } from '../domain/errors.ts';
import { isPublic } from '../drops/access.ts';
import { hasExpired, hasVersion, type Page, type PageWithVersion } from '../drops/drop.ts';
import type { DropStore } from '../drops/drop-store.ts';
import type { Log } from '../log/log.ts';
import type { MemoryReading } from '../metrics/metrics.ts';
import { CountedCache } from './counted-cache.ts';
import type { PageChanges } from './page-changes.ts';
import { SharedNextCalls } from './shared-calls.ts';

/** While the database is down, a page in memory may be served for this time after the last read that confirmed it. */
const maxAgeWhenDownMs = 60_000;
/** Memory for pages without their bodies, as a share of PAGE_CACHE_BYTES, which bounds the bodies. */
const share = 1 / 8;
/** What a version takes in memory besides its texts. */
const overheadBytes = 1_024;
/** The latest version and some older ones, because readers compare them. */
const maxVersions = 5;
const slugsPerQuery = 500;

/** The public versions of one drop at one revision. */
interface Entry {
  readonly dropId: string;
  readonly rev: number;
  readonly latestVersion: number;
  /** By number, oldest first. */
  readonly versions: ReadonlyMap<number, PageWithVersion>;
  /** `changes.now()` before the last read that found this revision was sent. */
  asOf: number;
  /** When that was, in Unix ms. */
  confirmedAt: number;
  /** Whether it was served since it was last confirmed. */
  isInUse: boolean;
}

interface Read {
  readonly slug: string;
  readonly asOf: number;
  readonly begunAt: number;
  /** Whether a notice has come since the read began. */
  isDiscarded: boolean;
}

export interface FoundPage {
  readonly page: Page;
  /** false: the database is down and the page is from memory, up to 60 s old. Caches must not keep the answer long. */
  readonly isConfirmed: boolean;
}

/**
 * Finds public pages and keeps them in memory, under four rules:
 * 1. `getCached` returns a page only if it is provably current (PageChanges.isCurrent), for a response whose head is written
 *    in the same synchronous step.
 * 2. A notice of a change removes the page. What a read finds that began before the notice is not kept.
 * 3. One query confirms all pages in use, so that a popular page stays current.
 * 4. `find` returns what a read found that began after the request arrived: an earlier read may have found a page whose
 *    lock, narrower access or deletion was acknowledged in between. While the database is down, it returns a page that a read confirmed
 *    within the last minute.
 */
export class PageCache {
  readonly #drops: Pick<DropStore, 'findPage' | 'findRevisions'>;
  readonly #changes: PageChanges;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #counted;
  readonly #reads = new Set<Read>();
  /** One read of a version runs at a time, so that a popular page never takes every connection of the database's pool. */
  readonly #nextReads = new SharedNextCalls<Page | null>();
  #discardedReads = 0;
  #slugsInUse: string[] = [];
  #isConfirming = false;

  constructor(deps: {
    drops: Pick<DropStore, 'findPage' | 'findRevisions'>;
    changes: PageChanges;
    clock: Clock;
    log: Log;
    config: { readonly PAGE_CACHE_BYTES: number };
  }) {
    this.#drops = deps.drops;
    this.#changes = deps.changes;
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#counted = new CountedCache<Entry>(deps.config.PAGE_CACHE_BYTES * share, sizeOf);
    this.#changes.subscribe((slug) => this.#discard(slug));
  }

  /** @param number null for the latest version @returns null if a read is needed */
  getCached(slug: string, number: number | null): PageWithVersion | null {
    const found = this.#lookUp(slug, number);
    const isCurrent = found !== null && this.#changes.isCurrent(found.entry.asOf);
    this.#counted.count(isCurrent);
    if (!isCurrent) return null;
    this.#noteUse(slug, found.entry);
    return found.page;
  }

  /**
   * @param isServable whether the page can be served without the database; only then it may come from memory
   * @throws DropError `not_found`; what the read throws
   */
  async find(
    slug: string,
    number: number | null,
    isServable: (page: PageWithVersion) => boolean,
  ): Promise<FoundPage> {
    try {
      const page = await this.#nextReads.run(`${slug}/${number}`, () => this.#read(slug, number));
      if (page === null) throw notFound('page');
      return { page, isConfirmed: true };
    } catch (err) {
      const page = isDown(err) ? this.#getStale(slug, number) : null;
      if (page === null || !isServable(page)) throw err;
      this.#log.warn({ err }, 'the database is down: a page was served from memory, up to a minute old');
      return { page, isConfirmed: false };
    }
  }

  /** What `getCached` found. */
  reading(): MemoryReading {
    return this.#counted.reading();
  }

  /** Reads whose result was not kept, because a notice came meanwhile. */
  discardedReads(): number {
    return this.#discardedReads;
  }

  get #entries() {
    return this.#counted.cache;
  }

  #discard(slug: string): void {
    this.#entries.delete(slug);
    for (const read of this.#reads) {
      if (read.slug === slug) read.isDiscarded = true;
    }
  }

  async #read(slug: string, number: number | null): Promise<Page | null> {
    const read = { slug, asOf: this.#changes.now(), begunAt: this.#clock.now(), isDiscarded: false };
    this.#reads.add(read);
    try {
      const found = await this.#drops.findPage(slug, number);
      this.#keep(found, read);
      return found;
    } finally {
      this.#reads.delete(read);
    }
  }

  /** The newer of two reads of a drop is the one with the higher revision. */
  #keep(found: Page | null, read: Read): void {
    if (found === null || found.isTakenDown || !isPublic(found)) {
      this.#discard(read.slug);
      return;
    }
    const { slug, dropId, rev, latestVersion } = found;
    const known = this.#entries.peek(slug);
    if (known?.dropId !== dropId || known.rev < rev) this.#entries.delete(slug);
    if (read.isDiscarded) this.#discardedReads += 1;
    if (read.isDiscarded || !hasVersion(found)) return;
    const newest = this.#entries.peek(slug);
    if (newest === undefined) {
      const versions = new Map([[found.version.number, found]]);
      const { asOf, begunAt: confirmedAt } = read;
      this.#entries.set(slug, { dropId, rev, latestVersion, versions, asOf, confirmedAt, isInUse: false });
    } else if (newest.rev === rev) {
      noteConfirmed(newest, read);
      if (newest.versions.has(found.version.number)) return;
      this.#entries.set(slug, { ...newest, versions: withNewest(newest.versions, found) });
    }
  }

  #noteUse(slug: string, entry: Entry): void {
    if (entry.isInUse || this.#changes.confirmEveryMs === null) return;
    entry.isInUse = true;
    this.#slugsInUse.push(slug);
    if (this.#isConfirming) return;
    this.#isConfirming = true;
    this.#confirmLater(this.#changes.confirmEveryMs);
  }

  #confirmLater(delayMs: number): void {
    setTimeout(() => this.#confirmInUse(), delayMs).unref(); // it never rejects
  }

  async #confirmInUse(): Promise<void> {
    const slugs = this.#slugsInUse;
    this.#slugsInUse = [];
    for (let from = 0; from < slugs.length; from += slugsPerQuery) {
      // If the query fails, requests read these pages again.
      await this.#confirm(slugs.slice(from, from + slugsPerQuery)).catch(() => undefined);
    }
    this.#isConfirming = this.#slugsInUse.length > 0;
    if (this.#isConfirming) this.#confirmLater(this.#changes.confirmEveryMs ?? 0);
  }

  async #confirm(slugs: readonly string[]): Promise<void> {
    const asked = slugs.map((slug) => [slug, this.#entries.peek(slug)] as const);
    for (const [, entry] of asked) {
      if (entry !== undefined) entry.isInUse = false;
    }
    const begun = { asOf: this.#changes.now(), begunAt: this.#clock.now() };
    const revisions = await this.#drops.findRevisions(slugs);
    for (const [slug, entry] of asked) {
      if (entry === undefined || this.#entries.peek(slug) !== entry) continue; // a notice came, or another read was kept
      if (revisions.get(slug) === entry.rev) noteConfirmed(entry, begun);
      else this.#entries.delete(slug);
    }
  }

  /** null also for a page that has expired: no notice says so, because every process knows the time. */
  #lookUp(slug: string, number: number | null): { entry: Entry; page: PageWithVersion } | null {
    const entry = this.#entries.get(slug);
    const page = entry?.versions.get(number ?? entry.latestVersion);
    if (entry === undefined || page === undefined || hasExpired(page, this.#clock.now())) return null;
    return { entry, page };
  }

  #getStale(slug: string, number: number | null): PageWithVersion | null {
    const found = this.#lookUp(slug, number);
    if (found === null) return null;
    const age = this.#clock.now() - found.entry.confirmedAt;
    return age >= 0 && age <= maxAgeWhenDownMs ? found.page : null;
  }
}

function noteConfirmed(entry: Entry, { asOf, begunAt }: Pick<Read, 'asOf' | 'begunAt'>): void {
  entry.asOf = Math.max(entry.asOf, asOf);
  entry.confirmedAt = Math.max(entry.confirmedAt, begunAt);
}

function withNewest(versions: Entry['versions'], page: PageWithVersion): Entry['versions'] {
  const all = [...versions, [page.version.number, page] as const];
  return new Map(all.slice(-maxVersions));
}

function sizeOf({ versions }: Entry): number {
  let bytes = overheadBytes;
  for (const { title, description } of versions.values())
    bytes += overheadBytes + 2 * (title.length + (description?.length ?? 0));
  return bytes;
}

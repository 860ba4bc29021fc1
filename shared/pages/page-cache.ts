import type { Clock } from '../domain/clock.ts';
import { isDown, isLate, notFound } from '../domain/errors.ts';
import { hasExpired, hasVersion, type Page, type PageWithVersion } from '../drops/drop.ts';
import type { DropStore } from '../drops/drop-store.ts';
import type { Log } from '../log/log.ts';
import { createCountedCache } from './counted-cache.ts';
import type { PageChanges } from './page-changes.ts';

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
 *    lock or deletion was acknowledged in between. While the database is down, it returns a page that a read confirmed
 *    within the last minute.
 */
export function createPageCache(deps: {
  drops: Pick<DropStore, 'findPage' | 'findRevisions'>;
  changes: PageChanges;
  clock: Clock;
  log: Log;
  config: { readonly PAGE_CACHE_BYTES: number };
}) {
  const { drops, changes, clock, log, config } = deps;
  const counted = createCountedCache<Entry>(config.PAGE_CACHE_BYTES * share, sizeOf);
  const entries = counted.cache;
  const reads = new Set<Read>();
  /** One read of a version runs at a time, so that a popular page never takes every connection of the database's pool. */
  const shareNext = createSharedNextCalls<Page | null>();
  let discardedReads = 0;
  let slugsInUse: string[] = [];
  let isConfirming = false;

  changes.subscribe(discard);

  function discard(slug: string): void {
    entries.delete(slug);
    for (const read of reads) if (read.slug === slug) read.isDiscarded = true;
  }

  async function read(slug: string, number: number | null): Promise<Page | null> {
    const read = { slug, asOf: changes.now(), begunAt: clock.now(), isDiscarded: false };
    reads.add(read);
    try {
      const found = await drops.findPage(slug, number);
      keep(found, read);
      return found;
    } finally {
      reads.delete(read);
    }
  }

  /** The newer of two reads of a drop is the one with the higher revision. */
  function keep(found: Page | null, read: Read): void {
    if (found === null || found.isTakenDown || found.lock !== null) {
      discard(read.slug);
      return;
    }
    const { slug, dropId, rev, latestVersion } = found;
    const known = entries.peek(slug);
    if (known?.dropId !== dropId || known.rev < rev) entries.delete(slug);
    if (read.isDiscarded) discardedReads += 1;
    if (read.isDiscarded || !hasVersion(found)) return;
    const newest = entries.peek(slug);
    if (newest === undefined) {
      const versions = new Map([[found.version.number, found]]);
      const { asOf, begunAt } = read;
      entries.set(slug, { dropId, rev, latestVersion, versions, asOf, confirmedAt: begunAt, isInUse: false });
    } else if (newest.rev === rev) {
      noteConfirmed(newest, read);
      if (!newest.versions.has(found.version.number))
        entries.set(slug, { ...newest, versions: withNewest(newest.versions, found) });
    }
  }

  function noteConfirmed(entry: Entry, { asOf, begunAt }: Pick<Read, 'asOf' | 'begunAt'>): void {
    entry.asOf = Math.max(entry.asOf, asOf);
    entry.confirmedAt = Math.max(entry.confirmedAt, begunAt);
  }

  function noteUse(slug: string, entry: Entry): void {
    if (entry.isInUse || changes.confirmEveryMs === null) return;
    entry.isInUse = true;
    slugsInUse.push(slug);
    if (isConfirming) return;
    isConfirming = true;
    setTimeout(confirmInUse, changes.confirmEveryMs).unref();
  }

  async function confirmInUse(): Promise<void> {
    const slugs = slugsInUse;
    slugsInUse = [];
    for (let from = 0; from < slugs.length; from += slugsPerQuery) {
      // If the query fails, requests read these pages again.
      await confirm(slugs.slice(from, from + slugsPerQuery)).catch(() => undefined);
    }
    isConfirming = slugsInUse.length > 0;
    if (isConfirming) setTimeout(confirmInUse, changes.confirmEveryMs ?? 0).unref();
  }

  async function confirm(slugs: readonly string[]): Promise<void> {
    const asked = slugs.map((slug) => [slug, entries.peek(slug)] as const);
    for (const [, entry] of asked) if (entry !== undefined) entry.isInUse = false;
    const begun = { asOf: changes.now(), begunAt: clock.now() };
    const revisions = await drops.findRevisions(slugs);
    for (const [slug, entry] of asked) {
      if (entry === undefined || entries.peek(slug) !== entry) continue; // a notice came, or another read was kept
      if (revisions.get(slug) === entry.rev) noteConfirmed(entry, begun);
      else entries.delete(slug);
    }
  }

  /** null also for a page that has expired: no notice says so, because every process knows the time. */
  function lookUp(slug: string, number: number | null): { entry: Entry; page: PageWithVersion } | null {
    const entry = entries.get(slug);
    const page = entry?.versions.get(number ?? entry.latestVersion);
    if (entry === undefined || page === undefined || hasExpired(page, clock.now())) return null;
    return { entry, page };
  }

  function getStale(slug: string, number: number | null): PageWithVersion | null {
    const found = lookUp(slug, number);
    if (found === null) return null;
    const age = clock.now() - found.entry.confirmedAt;
    return age >= 0 && age <= maxAgeWhenDownMs ? found.page : null;
  }

  return {
    /** @param number null for the latest version @returns null if a read is needed */
    getCached(slug: string, number: number | null): PageWithVersion | null {
      const found = lookUp(slug, number);
      const isCurrent = found !== null && changes.isCurrent(found.entry.asOf);
      counted.count(isCurrent);
      if (!isCurrent) return null;
      noteUse(slug, found.entry);
      return found.page;
    },

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
        const page = await shareNext(`${slug}/${number}`, () => read(slug, number));
        if (page === null) throw notFound('page');
        return { page, isConfirmed: true };
      } catch (err) {
        const page = isDown(err) ? getStale(slug, number) : null;
        if (page === null || !isServable(page)) throw err;
        log.warn({ err }, 'the database is down: a page was served from memory, up to a minute old');
        return { page, isConfirmed: false };
      }
    },

    reading: counted.reading,
    /** Reads whose result was not kept, because a notice came meanwhile. */
    discardedReads: () => discardedReads,
  };
}

/** One call of a key runs at a time; those made meanwhile share the next. If the database is late they fail together. */
function createSharedNextCalls<T>(): (key: string, call: () => Promise<T>) => Promise<T> {
  const running = new Map<string, { readonly ended: Promise<unknown>; next?: Promise<T> }>();

  function begin(key: string, call: () => Promise<T>): Promise<T> {
    const result = call();
    const end = (error?: unknown) => {
      if (isLate(error) || running.get(key)?.next === undefined) running.delete(key);
      return error;
    };
    running.set(key, { ended: result.then(() => end(), end) });
    return result;
  }

  return (key, call) => {
    const earlier = running.get(key);
    if (earlier === undefined) return begin(key, call);
    earlier.next ??= earlier.ended.then((error) => {
      if (isLate(error)) throw error;
      return begin(key, call);
    });
    return earlier.next;
  };
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

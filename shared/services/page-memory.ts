import { LRUCache } from 'lru-cache';
import { hasExpired, type Page, type ShownPage } from '../domain/drop.ts';
import type { Clock } from '../ports/clock.ts';
import type { DropStore } from '../ports/drop-store.ts';
import type { PageChanges } from '../ports/page-changes.ts';
import { type Lookups, readMemory } from './memory-reading.ts';

/** While the database is down, a page in memory may be served for this time after the last read that confirmed it. */
const maxAgeWhenDownMs = 60_000;
/** Memory for pages without their bodies, as a share of PAGE_CACHE_BYTES, which bounds the bodies. */
const share = 1 / 8;
/** What a version takes in memory besides its texts. */
const overheadBytes = 1_024;
/** The latest version and some older ones, because readers compare them. */
const maxVersions = 5;
/** How many pages one query confirms. */
const slugsPerQuery = 500;

/** The public versions of one drop at one revision. */
interface Entry {
  readonly dropId: string;
  readonly rev: number;
  readonly latestVersion: number;
  /** By number, oldest first. */
  readonly versions: ReadonlyMap<number, ShownPage>;
  /** `changes.now()` before the last read that found this revision was sent. */
  asOf: number;
  /** When that was, in Unix ms. */
  confirmedAt: number;
  /** Whether it was served since it was last confirmed. */
  isInUse: boolean;
}

/** A read under way. */
interface Read {
  readonly slug: string;
  readonly asOf: number;
  readonly begunAt: number;
  /** Whether a notice has come since the read began. */
  isDiscarded: boolean;
}

/** What `DropStore.findPage` returns. */
export type FoundPage = ReturnType<DropStore['findPage']>;

export type PageMemory = ReturnType<typeof createPageMemory>;

/**
 * The public pages that reads of this process found, under four rules:
 * 1. `current` returns a page only if it is provably current (PageChanges.isCurrent), for a response whose head is written
 *    in the same synchronous step.
 * 2. A notice of a change removes the page. What a read finds that began before the notice is not kept.
 * 3. One query confirms all pages in use, so that a popular page stays current.
 * 4. `lastKnown` returns a page that a read confirmed within the last minute, for when the database is down.
 */
export function createPageMemory(deps: {
  drops: Pick<DropStore, 'findRevisions'>;
  changes: PageChanges;
  clock: Clock;
  config: { readonly PAGE_CACHE_BYTES: number };
}) {
  const { drops, changes, clock, config } = deps;
  const entries = new LRUCache<string, Entry>({
    maxSize: Math.max(1, Math.floor(config.PAGE_CACHE_BYTES * share)),
    sizeCalculation: sizeOf,
  });
  const reads = new Set<Read>();
  const lookups: Lookups = { hits: 0, misses: 0 };
  let discardedReads = 0;
  let slugsInUse: string[] = [];
  let isConfirming = false;

  changes.subscribed(discard);

  function discard(slug: string): void {
    entries.delete(slug);
    for (const read of reads) if (read.slug === slug) read.isDiscarded = true;
  }

  /** null also for a page that has expired: no notice says so, because every process knows the time. */
  function lookUp(slug: string, number: number | null): { entry: Entry; page: ShownPage } | null {
    const entry = entries.get(slug);
    const page = entry?.versions.get(number ?? entry.latestVersion);
    if (entry === undefined || page === undefined || hasExpired(page, clock.now())) return null;
    return { entry, page };
  }

  /** Of two reads of a drop, the one with the higher revision is newer. */
  function keep(page: ShownPage, read: Read): void {
    const { slug, dropId, rev, latestVersion, version } = page;
    const known = entries.peek(slug);
    if (known === undefined) {
      const versions = new Map([[version.number, page]]);
      const { asOf, begunAt } = read;
      entries.set(slug, { dropId, rev, latestVersion, versions, asOf, confirmedAt: begunAt, isInUse: false });
    } else if (known.rev === rev) {
      noteConfirmed(known, read);
      if (!known.versions.has(version.number))
        entries.set(slug, { ...known, versions: withNewest(known.versions, page) });
    }
  }

  /** @param found undefined if the read failed */
  function endRead(read: Read, found: Page | null | undefined): void {
    reads.delete(read);
    if (found === undefined) return;
    if (found === null || !isPublic(found)) {
      discard(read.slug);
      return;
    }
    const known = entries.peek(read.slug);
    if (known?.dropId !== found.dropId || known.rev < found.rev) entries.delete(read.slug);
    if (read.isDiscarded) discardedReads += 1;
    else if (isShown(found)) keep(found, read);
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

  return {
    /** @param number null for the latest version @returns null if a read is needed */
    current(slug: string, number: number | null): ShownPage | null {
      const found = lookUp(slug, number);
      const isCurrent = found !== null && changes.isCurrent(found.entry.asOf);
      if (isCurrent) lookups.hits += 1;
      else lookups.misses += 1;
      if (!isCurrent) return null;
      noteUse(slug, found.entry);
      return found.page;
    },

    /** What `current` found. */
    reading: () => readMemory(entries, lookups),
    /** Reads whose result was not kept, because a notice came meanwhile. */
    discardedReads: () => discardedReads,

    /** @param number null for the latest version */
    lastKnown(slug: string, number: number | null): ShownPage | null {
      const found = lookUp(slug, number);
      if (found === null) return null;
      const age = clock.now() - found.entry.confirmedAt;
      return age >= 0 && age <= maxAgeWhenDownMs ? found.page : null;
    },

    /** Runs a read of the page and keeps what it finds. @returns and throws what `find` does */
    read(slug: string, find: () => FoundPage): FoundPage {
      const read = { slug, asOf: changes.now(), begunAt: clock.now(), isDiscarded: false };
      reads.add(read);
      let found: FoundPage | undefined;
      try {
        found = find();
      } finally {
        if (!(found instanceof Promise)) endRead(read, found);
      }
      if (!(found instanceof Promise)) return found;
      return found.then(
        (page) => {
          endRead(read, page);
          return page;
        },
        (error: unknown) => {
          reads.delete(read);
          throw error;
        },
      );
    },
  };
}

function withNewest(versions: Entry['versions'], page: ShownPage): Entry['versions'] {
  const all = [...versions, [page.version.number, page] as const];
  return new Map(all.slice(-maxVersions));
}

function sizeOf({ versions }: Entry): number {
  let bytes = overheadBytes;
  for (const { title, description } of versions.values())
    bytes += overheadBytes + 2 * (title.length + (description?.length ?? 0));
  return bytes;
}

function isPublic({ isTakenDown, lock }: Page): boolean {
  return !isTakenDown && lock === null;
}

/** Whether the version exists. */
export function isShown(page: Page): page is ShownPage {
  return page.version !== null;
}

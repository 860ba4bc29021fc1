import { LRUCache } from 'lru-cache';
import type { Page, ShownPage } from '../domain/drop.ts';
import { isDown } from '../domain/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { DropStore } from '../ports/drop-store.ts';
import type { Log } from '../ports/log.ts';
import { createThrottledWarning } from './throttled-warning.ts';

/** With more, one popular page could take every connection of the database's pool. */
const maxReadsPerSlug = 4;
/** How long a page may be served from memory while the database is down. */
const maxAgeMs = 60_000;
/** About as many pages as fit into the memory for bodies. An entry has a few hundred bytes. */
const maxSlugs = 10_000;
/** The latest version without a number, the latest by its number (the viewer's frame), and two older ones. */
const maxVersionsPerSlug = 4;

export interface LookedUpPage {
  /** null: there is no such drop. */
  readonly page: Page | null;
  /** false: the database is down and the page is from memory, up to 60 s old. Caches must not keep the answer long. */
  readonly isConfirmed: boolean;
}

/** The running and waiting reads of one slug. */
interface SlugReads {
  running: number;
  /** By version number (null: latest), oldest first. */
  readonly waiting: Map<number | null, WaitingRead>;
  /** The number of a read. Results of reads up to it are not kept in memory: the page was hidden since they began. */
  discardedUpTo: number;
}

/** A read that has not begun. All requests that arrive before it begins share it. */
interface WaitingRead {
  readonly page: Promise<Page | null>;
  begin(): void;
}

/**
 * Looks up the drop at a public address. A request gets the result of a read that began after the request arrived: the
 * result of an earlier read may show a page whose lock or deletion was acknowledged in between. At most
 * `maxReadsPerSlug` reads of one slug run at once. Further requests share one waiting read per version, which begins when
 * a running read ends. If the read fails because the database is down (`isDown`), and in no other case, a page that was
 * public within the last minute is served from memory.
 */
export function createPageLookup({ drops, clock, log }: { drops: DropStore; clock: Clock; log: Log }) {
  const memory = createMemory(clock);
  const slugs = new Map<string, SlugReads>();
  const warnServedFromMemory = createThrottledWarning(
    { clock, log },
    'the database is down: a page was served from memory, up to a minute old',
  );
  let lastRead = 0;

  function readsOf(slug: string): SlugReads {
    let reads = slugs.get(slug);
    if (reads === undefined) {
      reads = { running: 0, waiting: new Map(), discardedUpTo: 0 };
      slugs.set(slug, reads);
    }
    return reads;
  }

  /** Waits for the read and updates the memory. */
  async function finish(
    slug: string,
    number: number | null,
    read: () => Page | null | Promise<Page | null>,
  ): Promise<Page | null> {
    lastRead += 1;
    const begun = { order: lastRead, at: clock.now() };
    const reads = readsOf(slug);
    try {
      const page = await read();
      if (!isPublic(page)) {
        const isOnlyVersionMissing = page !== null && !page.isTakenDown && page.lock === null;
        memory.forget(slug, isOnlyVersionMissing ? number : undefined);
        reads.discardedUpTo = Math.max(reads.discardedUpTo, begun.order);
      } else if (begun.order > reads.discardedUpTo) memory.keep(page, number, begun);
      return page;
    } finally {
      beginNext(slug, reads);
    }
  }

  /** The read that has waited longest takes the place of one that ended. */
  function beginNext(slug: string, reads: SlugReads): void {
    const [next] = reads.waiting;
    if (next !== undefined) {
      const [number, read] = next;
      reads.waiting.delete(number); // later requests must not share it: it begins now
      read.begin();
      return;
    }
    reads.running -= 1;
    if (reads.running === 0) slugs.delete(slug);
  }

  function shareWaiting(slug: string, number: number | null, { waiting }: SlugReads): Promise<Page | null> {
    const shared = waiting.get(number);
    if (shared !== undefined) return shared.page;
    let begin = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const page = turn.then(() => finish(slug, number, () => drops.findPage(slug, number)));
    waiting.set(number, { page, begin });
    return page;
  }

  /** Returns no promise if the store answers synchronously. */
  function read(slug: string, number: number | null): Page | null | Promise<Page | null> {
    const reads = slugs.get(slug);
    if (reads !== undefined && reads.running >= maxReadsPerSlug) return shareWaiting(slug, number, reads);
    const page = drops.findPage(slug, number);
    if (!(page instanceof Promise)) return page;
    readsOf(slug).running += 1;
    return finish(slug, number, () => page);
  }

  return {
    /**
     * @param number null for the latest version
     * @param isServable whether the page can be served without the database; only then it may come from memory
     * @throws what the read throws
     */
    async find(
      slug: string,
      number: number | null,
      isServable: (page: ShownPage) => boolean,
    ): Promise<LookedUpPage> {
      try {
        return { page: await read(slug, number), isConfirmed: true };
      } catch (err) {
        const page = isDown(err) ? memory.recall(slug, number) : null;
        if (page === null || !isServable(page)) throw err;
        warnServedFromMemory({ err });
        return { page, isConfirmed: false };
      }
    },

    /**
     * Call it when this process hides the page or a version of it. From then on memory serves only results of reads that
     * begin later.
     */
    forget(slug: string): void {
      memory.forget(slug);
      const reads = slugs.get(slug);
      if (reads !== undefined) reads.discardedUpTo = lastRead; // running reads may have seen the page before
    },
  };
}

/** When a read began. */
interface Begun {
  /** The number of the read in this process. */
  readonly order: number;
  /** Unix ms. The page that the read found is at least this new. */
  readonly at: number;
}

interface Entry {
  readonly page: ShownPage;
  readonly begun: Begun;
}

/** The public pages that reads found, least recently used first out. */
function createMemory(clock: Clock) {
  const slugs = new LRUCache<string, Map<number | null, Entry>>({ max: maxSlugs });

  return {
    /** Keeps the result of the read that began last. */
    keep(page: ShownPage, number: number | null, begun: Begun): void {
      let versions = slugs.get(page.slug);
      if (versions === undefined) {
        versions = new Map();
        slugs.set(page.slug, versions);
      }
      if (begun.order < (versions.get(number)?.begun.order ?? 0)) return;
      versions.delete(number); // a Map keeps insertion order: the first entry is the oldest
      versions.set(number, { page, begun });
      if (versions.size > maxVersionsPerSlug) {
        const [oldest = null] = versions.keys();
        versions.delete(oldest);
      }
    },

    /** @param number undefined for all versions */
    forget(slug: string, number?: number | null): void {
      if (number === undefined) slugs.delete(slug);
      else slugs.get(slug)?.delete(number);
    },

    /** The page, if it was public within the last minute. */
    recall(slug: string, number: number | null): ShownPage | null {
      const entry = slugs.get(slug)?.get(number);
      if (entry === undefined) return null;
      const age = clock.now() - entry.begun.at;
      return age >= 0 && age <= maxAgeMs ? entry.page : null;
    },
  };
}

/** Whether everybody may see the page and the version exists. */
function isPublic(page: Page | null): page is ShownPage {
  return page !== null && !page.isTakenDown && page.lock === null && page.version !== null;
}

import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';
import type { Page } from '../../domain/drop.ts';
import type { Database } from './database.ts';

/** A page usually takes some hundred bytes, at most three kilobytes. */
const maxSlugs = 10_000;
/** Older versions that are cached with the latest one, because readers compare them. */
const maxOlderPerSlug = 4;

/** Caches what `findPage` reads. An entry always equals what the database has at that moment. */
export interface PageMemory {
  /** @param number null for the latest @returns null if it is not cached */
  recall(slug: string, number: number | null): Page | null;

  /**
   * Keeps the page with its latest version, and the page with version `number`. The caller has just read them, in the
   * same synchronous call and outside of a write.
   */
  keep(latest: Page, number: number | null, page: Page): void;

  /** Every change of the page over this connection calls it, inside the write. */
  forget(slug: string): void;
}

interface Entry {
  readonly latest: Page;
  readonly older: Map<number, Page>;
}

/**
 * Why an entry cannot be stale:
 * - A write over this connection forgets the page inside the write. A group of writes runs from begin to commit or
 *   rollback in one synchronous call (write-group.ts), so nothing is read and kept in between.
 * - A commit of another connection (the `dropleaf` command) changes `PRAGMA data_version`, and then everything is
 *   forgotten. It is checked before the first page of each turn of the event loop.
 * - Missing drops and versions are not cached, so creating one has nothing to forget.
 *
 * Each connection needs its own memory: its own commits do not change its `data_version`.
 */
export function createPageMemory(db: Database): PageMemory {
  const readDataVersion = db.prepareTuples('PRAGMA data_version');
  const pages = new LRUCache<string, Entry>({ max: maxSlugs });
  let dataVersion = 0;

  const checkOtherConnections = onceATurn(() => {
    const [now] = readDataVersion.get() as [number]; // proof: the pragma returns one integer
    if (now !== dataVersion) pages.clear();
    dataVersion = now;
  });

  return {
    recall(slug, number) {
      checkOtherConnections();
      const entry = pages.get(slug);
      if (entry === undefined) return null;
      if (number === null || number === entry.latest.latestVersion) return entry.latest;
      return entry.older.get(number) ?? null;
    },

    keep(latest, number, page) {
      const { slug } = latest;
      let entry = pages.get(slug);
      if (entry === undefined) {
        entry = { latest, older: new Map() };
        pages.set(slug, entry);
      }
      if (number === null || page === latest || page.version === null) return;
      entry.older.set(number, page);
      const [oldest = number] = entry.older.keys();
      if (entry.older.size > maxOlderPerSlug) entry.older.delete(oldest);
    },

    forget(slug) {
      pages.delete(slug);
    },
  };
}

/**
 * A function that calls `work` at its first call in each turn of the event loop, and again after a failure. A turn
 * begins when the loop polls the system for events, so a request that a turn reads is newer than the turn's start.
 * (`setImmediate` cannot mark the end of a turn: one that is set in the check phase runs after the next requests.)
 */
function onceATurn(work: () => void): () => void {
  const { nodeTiming } = performance;
  let turn = -1;
  let batch = -1; // with many waiting events the loop polls more than once in a turn
  return () => {
    const { loopCount, events } = nodeTiming.uvMetricsInfo; // 0.1 µs
    if (loopCount === turn && events === batch) return;
    work();
    turn = loopCount;
    batch = events;
  };
}

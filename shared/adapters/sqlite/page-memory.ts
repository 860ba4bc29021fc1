import { LRUCache } from 'lru-cache';
import type { Page } from '../../domain/drop.ts';
import type { Database } from './database.ts';
import { onceATurn } from './once-a-turn.ts';

/** Some hundred bytes each, as a rule; at worst three kilobytes. */
const maxSlugs = 10_000;
/** Versions below the head, which people compare it with. */
const maxOthersOfSlug = 4;

/** Pages as the database has them in this moment. */
export interface PageMemory {
  /** @param number null: the latest. @returns null: not known here */
  recall(slug: string, number: number | null): Page | null;

  /**
   * The page with its latest version, and the same with that of `number`, as they were just read: in the same piece
   * of synchronous work, and outside of writes.
   */
  keep(latest: Page, number: number | null, page: Page): void;

  /** For whoever changes the page over this connection: called inside the write. */
  forget(slug: string): void;
}

interface Known {
  readonly latest: Page;
  readonly others: Map<number, Page>;
}

/**
 * Spares requests their SELECT: what is known here is what it would find.
 * - What this connection commits is forgotten inside the write. A group of writes is begun, run, and committed or
 *   rolled back in one piece of synchronous work (write-group.ts), so nothing is read and kept in between. Where the
 *   commit fails, a page was forgotten that could have stayed.
 * - What any other connection has committed (the `dropleaf` command, in a process of its own) moves `data_version`,
 *   and then all is forgotten. It is looked at before the first page of each turn of the event loop.
 * - Absence is not remembered, so a new drop has nothing to forget: neither that of a drop nor that of a version,
 *   of which anybody could ask for any number.
 *
 * One for each connection: `data_version` says nothing of what the store of another memory writes over the same one.
 */
export function createPageMemory(db: Database): PageMemory {
  const readDataVersion = db.prepareTuples('PRAGMA data_version');
  const pages = new LRUCache<string, Known>({ max: maxSlugs });
  let dataVersion = 0;

  const catchUp = onceATurn(() => {
    const [now] = readDataVersion.get() as [number]; // proof: the pragma's one row, an integer
    if (now !== dataVersion) pages.clear();
    dataVersion = now;
  });

  return {
    recall(slug, number) {
      catchUp();
      const known = pages.get(slug);
      if (known === undefined) return null;
      if (number === null || number === known.latest.latestVersion) return known.latest;
      return known.others.get(number) ?? null;
    },

    keep(latest, number, page) {
      const { slug } = latest;
      let known = pages.get(slug);
      if (known === undefined) {
        known = { latest, others: new Map() };
        pages.set(slug, known);
      }
      if (number === null || page === latest || page.version === null) return;
      known.others.set(number, page);
      const [oldest = number] = known.others.keys();
      if (known.others.size > maxOthersOfSlug) known.others.delete(oldest);
    },

    forget(slug) {
      pages.delete(slug);
    },
  };
}

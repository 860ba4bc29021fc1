import type { Page, ShownPage } from '../domain/drop.ts';
import { isDown } from '../domain/errors.ts';
import type { DropStore } from '../ports/drop-store.ts';
import type { Log } from '../ports/log.ts';
import type { FoundPage, PageMemory } from './page-memory.ts';

export interface LookedUpPage {
  /** null: there is no such drop. */
  readonly page: Page | null;
  /** false: the database is down and the page is from memory, up to 60 s old. Caches must not keep the answer long. */
  readonly isConfirmed: boolean;
}

/** A read under way. */
interface Running {
  /** Settles when the read ends. */
  readonly ended: Promise<void>;
  /** The read that begins then, if a request waits for it. */
  next?: Promise<Page | null>;
}

/**
 * Reads the drop at a public address. A request gets the result of a read that began after the request arrived: an
 * earlier read may have found a page whose lock or deletion was acknowledged in between. One read of a version runs at
 * a time, so that a popular page never takes every connection of the database's pool; the requests that arrive while it
 * runs share the next read.
 */
export function createPageLookup(deps: { drops: Pick<DropStore, 'findPage'>; memory: PageMemory; log: Log }) {
  const { drops, memory, log } = deps;
  const running = new Map<string, Running>();

  /** Returns no promise if the store answers synchronously. */
  function begin(key: string, slug: string, number: number | null): FoundPage {
    const found = memory.read(slug, () => drops.findPage(slug, number));
    if (!(found instanceof Promise)) return found;
    const end = () => {
      if (running.get(key)?.next === undefined) running.delete(key);
    };
    running.set(key, { ended: found.then(end, end) });
    return found;
  }

  function read(slug: string, number: number | null): FoundPage {
    const key = `${slug}/${number}`;
    const earlier = running.get(key);
    if (earlier === undefined) return begin(key, slug, number);
    earlier.next ??= earlier.ended.then(() => begin(key, slug, number));
    return earlier.next;
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
        const page = isDown(err) ? memory.lastKnown(slug, number) : null;
        if (page === null || !isServable(page)) throw err;
        log.warn({ err }, 'the database is down: a page was served from memory, up to a minute old');
        return { page, isConfirmed: false };
      }
    },
  };
}

import type { Page, ShownPage } from '../domain/drop.ts';
import { isDown } from '../domain/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { DropStore } from '../ports/drop-store.ts';
import type { Log } from '../ports/log.ts';
import { createPointerMemory, isPublic } from './pointer-memory.ts';
import { createThrottledWarning } from './throttled-warning.ts';

/** More would let one popular page take every connection of the database's pool. */
const maxReadsOfSlug = 4;

/** What stands at a public address. */
export interface Pointer {
  /** null: no such drop. */
  readonly page: Page | null;
  /** false: as it was up to a minute ago, because the database is down. Nobody is to keep the answer long. */
  readonly isConfirmed: boolean;
}

/** The reads of one slug that are under way, and those that wait for one of them to end. */
interface SlugReads {
  underWay: number;
  /** By version number, oldest first. */
  readonly waiting: Map<number | null, WaitingRead>;
  /** Reads up to this one may have seen the page before it was hidden: memory keeps nothing that they find. */
  hiddenAfter: number;
}

/** Shared by all requests that come before it begins. */
interface WaitingRead {
  readonly page: Promise<Page | null>;
  begin(): void;
}

/**
 * Reads what stands at public addresses. A request gets the outcome of a read that began after the request came,
 * however long that read takes, because a lock or a delete may have been acknowledged just before. Up to
 * `maxReadsOfSlug` reads of one slug run at once; further requests share one read for each version, which begins when
 * a running read ends. Only where that read fails because the database is down (`isDown`), a page that was public
 * within the last minute is served from memory.
 */
export function createPointers({ drops, clock, log }: { drops: DropStore; clock: Clock; log: Log }) {
  const memory = createPointerMemory(clock);
  const slugs = new Map<string, SlugReads>();
  const warnOfMemory = createThrottledWarning(
    { clock, log },
    'the database is down: a page was served as it was up to a minute ago',
  );
  let lastRead = 0;

  function readsOf(slug: string): SlugReads {
    let reads = slugs.get(slug);
    if (reads === undefined) {
      reads = { underWay: 0, waiting: new Map(), hiddenAfter: 0 };
      slugs.set(slug, reads);
    }
    return reads;
  }

  /** What the read finds. It has a place among the reads under way, which it passes on when it ends. */
  async function follow(
    slug: string,
    number: number | null,
    asked: Promise<Page | null>,
  ): Promise<Page | null> {
    lastRead += 1;
    const begun = { order: lastRead, at: clock.now() };
    const reads = readsOf(slug);
    try {
      const page = await asked;
      if (!isPublic(page)) {
        const isOnlyVersionMissing = page !== null && !page.isTakenDown && page.lock === null;
        memory.forget(slug, isOnlyVersionMissing ? number : undefined);
        reads.hiddenAfter = Math.max(reads.hiddenAfter, begun.order);
      } else if (begun.order > reads.hiddenAfter) memory.keep(page, number, begun);
      return page;
    } finally {
      passOn(slug, reads);
    }
  }

  /** The place of a read that has ended goes to the read that has waited longest. */
  function passOn(slug: string, reads: SlugReads): void {
    const [next] = reads.waiting;
    if (next !== undefined) {
      const [number, read] = next;
      reads.waiting.delete(number); // who comes from now on came after it began
      read.begin();
      return;
    }
    reads.underWay -= 1;
    if (reads.underWay === 0) slugs.delete(slug);
  }

  async function ask(slug: string, number: number | null): Promise<Page | null> {
    return drops.findPage(slug, number);
  }

  function wait(slug: string, number: number | null, { waiting }: SlugReads): Promise<Page | null> {
    const shared = waiting.get(number);
    if (shared !== undefined) return shared.page;
    const { promise, begin } = createStart();
    const page = promise.then(() => follow(slug, number, ask(slug, number)));
    waiting.set(number, { page, begin });
    return page;
  }

  /** At once, with no promise, where the store answers so. */
  function read(slug: string, number: number | null): Page | null | Promise<Page | null> {
    const reads = slugs.get(slug);
    if (reads !== undefined && reads.underWay >= maxReadsOfSlug) return wait(slug, number, reads);
    const asked = drops.findPage(slug, number);
    if (!(asked instanceof Promise)) return asked;
    readsOf(slug).underWay += 1;
    return follow(slug, number, asked);
  }

  return {
    /**
     * @param number null: the latest
     * @param isHeld whether the page could be shown without the database: only then is it served from memory
     * @throws what the read throws
     */
    async find(slug: string, number: number | null, isHeld: (page: ShownPage) => boolean): Promise<Pointer> {
      try {
        return { page: await read(slug, number), isConfirmed: true };
      } catch (err) {
        const page = isDown(err) ? memory.recall(slug, number) : null;
        if (page === null || !isHeld(page)) throw err;
        warnOfMemory({ err });
        return { page, isConfirmed: false };
      }
    },

    /** For whoever hides the page, or a version of it, in this process: nothing of it is served from memory after. */
    forget(slug: string): void {
      memory.forget(slug);
      const reads = slugs.get(slug);
      if (reads !== undefined) reads.hiddenAfter = lastRead; // what is under way may have seen it as it was
    },
  };
}

function createStart() {
  let begin = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    begin = resolve;
  });
  return { promise, begin };
}

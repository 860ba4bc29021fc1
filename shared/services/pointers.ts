import { afterLoopTurn } from '../domain/after-loop-turn.ts';
import type { Page, ShownPage } from '../domain/drop.ts';
import { isUnavailable } from '../domain/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { DropStore } from '../ports/drop-store.ts';
import type { Log } from '../ports/log.ts';
import { type Begun, createPointerMemory, isPublic } from './pointer-memory.ts';
import { createSeldomWarning } from './seldom-warning.ts';

const lateAfterMs = 100;
/** Reads of one slug at a time, once one of them is late. */
const maxReadsOfSlug = 4;
/** Reads of all slugs at a time, while the store is slow, for those who have their page in memory: others need it. */
const maxReads = 8;

/** What stands at a public address. */
export interface Pointer {
  /** null: no such drop. */
  readonly page: Page | null;
  /** false: as it was up to a minute ago, because its read is late or failed. Nobody is to keep the answer long. */
  readonly isConfirmed: boolean;
}

interface Read {
  readonly number: number | null;
  readonly begun: Begun;
  readonly line: Line;
  hasEnded: boolean;
  /** Set once it has taken longer than a turn of the loop. */
  timer: NodeJS.Timeout | undefined;
  isLate: boolean;
  onLate: () => void;
}

/** The reads of one slug that are under way. */
interface Line {
  readonly slug: string;
  underWay: number;
  late: number;
  /** The newest read that found no public page: what older ones say to the contrary is out of date. */
  closedBy: number;
  /** Reads that begin when one of those under way has ended, by number; each is for all who wait for it. */
  waiting: Map<number | null, Waiting> | null;
}

interface Waiting {
  readonly page: Promise<Page | null>;
  readonly resolve: (page: Promise<Page | null>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reads what stands at public addresses, and remembers it for when reads are late.
 *
 * Nobody gets the outcome of a read that began before they came: a lock or a delete may have been acknowledged in
 * between. While a read is late its slug is asked for by few: everybody starts a read up to a bound, and is served
 * from memory when it is late. Beyond the bound, who can be served from memory is, at once; others share a read that
 * begins when another has ended. If that one failed as `unavailable`, they share its failure, which says nothing of
 * the page. So a silent database gathers a few reads for each slug, and no queue. While it is slow altogether (a
 * read is late, and none has been in time since) there is a bound for all slugs too, so that pages in memory leave it
 * to what is not; one connection that hangs beside others that answer is no slow database.
 */
export function createPointers({ drops, clock, log }: { drops: DropStore; clock: Clock; log: Log }) {
  const memory = createPointerMemory(clock);
  const lines = new Map<string, Line>();
  const warnOfRecall = createSeldomWarning({ clock, log }, 'a page was served as it was up to a minute ago');
  const warnOfFailure = createSeldomWarning(
    { clock, log },
    'a page whose read failed was served from memory',
  );
  let reads = 0;
  let underWay = 0;
  let isSlow = false;

  const watch = afterLoopTurn((read: Read) => {
    if (!read.hasEnded) read.timer = setTimeout(() => afterInput(read), lateAfterMs);
  });

  /** Where this process itself stood still, the answer may lie in the socket already: it is read before it counts. */
  const afterInput = afterLoopTurn((read: Read) => {
    if (!read.hasEnded) markLate(read);
  });

  function markLate(read: Read): void {
    read.isLate = true;
    read.line.late += 1;
    isSlow = true;
    read.onLate();
  }

  function begins(): Begun {
    reads += 1;
    return { order: reads, at: clock.now() };
  }

  /** What throws at once has failed like any other read. */
  function ask(slug: string, number: number | null): Page | null | Promise<Page | null> {
    try {
      return drops.findPage(slug, number);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Keeps the books of a read that takes its time. */
  function follow(
    asked: Promise<Page | null>,
    { number, begun, line }: Pick<Read, 'number' | 'begun' | 'line'>,
    onLate: () => void,
  ): Promise<Page | null> {
    underWay += 1;
    line.underWay += 1;
    const read: Read = { number, begun, line, hasEnded: false, timer: undefined, isLate: false, onLate };
    watch(read);
    return asked.then(
      (page) => {
        if (!read.isLate) isSlow = false;
        note(read, page);
        end(read);
        beginWaiting(line);
        return page;
      },
      (error: unknown) => {
        end(read);
        if (isUnavailable(error)) failWaiting(line, error);
        else beginWaiting(line);
        throw error;
      },
    );
  }

  function beginWaiting(ended: Line): void {
    if (ended.waiting === null) return;
    const all = ended.waiting;
    ended.waiting = null;
    const line = lineOf(ended.slug); // another one, where the read was the last under way
    for (const [number, waiting] of all) {
      if (line.underWay < maxReadsOfSlug) {
        const begun = begins();
        const asked = Promise.resolve(ask(line.slug, number));
        waiting.resolve(follow(asked, { number, begun, line }, nobodyMinds));
      } else {
        line.waiting ??= new Map();
        line.waiting.set(number, waiting);
      }
    }
  }

  function note({ number, begun, line }: Read, page: Page | null): void {
    if (isPublic(page)) {
      if (begun.order > line.closedBy) memory.keep(page, number, begun);
    } else if (page === null || page.isTakenDown || page.lock !== null) {
      memory.forget(line.slug);
      line.closedBy = Math.max(line.closedBy, begun.order);
    } else {
      memory.forget(line.slug, number); // only this version is missing
    }
  }

  function end(read: Read): void {
    const { line } = read;
    read.hasEnded = true;
    clearTimeout(read.timer);
    underWay -= 1;
    line.underWay -= 1;
    if (read.isLate) line.late -= 1;
    if (line.underWay === 0) lines.delete(line.slug);
  }

  function lineOf(slug: string): Line {
    let line = lines.get(slug);
    if (line === undefined) {
      line = { slug, underWay: 0, late: 0, closedBy: 0, waiting: null };
      lines.set(slug, line);
    }
    return line;
  }

  function recall(slug: string, number: number | null, isHeld: (page: ShownPage) => boolean): Pointer | null {
    const page = memory.recall(slug, number);
    if (page === null || !isHeld(page)) return null;
    warnOfRecall({});
    return { page, isConfirmed: false };
  }

  /** The outcome of the read; what is recalled where the read is late, or the store is away. */
  function orAsRecalled(
    read: (onLate: () => void) => Promise<Page | null>,
    recallIt: () => Pointer | null,
  ): Promise<Pointer> {
    return new Promise((resolve, reject) => {
      let stoodIn: Pointer | null = null;
      const onLate = () => {
        stoodIn = recallIt();
        if (stoodIn !== null) resolve(stoodIn);
      };
      read(onLate).then(
        (page) => resolve({ page, isConfirmed: true }),
        (err: unknown) => {
          if (stoodIn === null && isUnavailable(err)) stoodIn = recallIt();
          if (stoodIn === null) return reject(err);
          warnOfFailure({ err });
          resolve(stoodIn);
        },
      );
    });
  }

  function forget(slug: string): void {
    memory.forget(slug);
    const line = lines.get(slug);
    if (line !== undefined) line.closedBy = reads; // what is under way may have seen it as it was
  }

  return {
    /**
     * @param number null: the latest
     * @param isHeld whether the page could be shown without the store: only then is it served from memory
     * @throws what the read throws
     */
    async find(slug: string, number: number | null, isHeld: (page: ShownPage) => boolean): Promise<Pointer> {
      const line = lines.get(slug);
      const waits = line !== undefined && line.late > 0 && line.underWay >= maxReadsOfSlug;
      const isCrowded = isSlow && underWay >= maxReads;
      const recalled = waits || isCrowded ? recall(slug, number, isHeld) : null;
      if (recalled !== null) return recalled;

      const recallIt = () => recall(slug, number, isHeld);
      if (waits) return orAsRecalled(() => waitFor(line, number), recallIt);
      const begun = begins();
      const asked = ask(slug, number);
      if (asked instanceof Promise) {
        const read = { number, begun, line: lineOf(slug) };
        return orAsRecalled((onLate) => follow(asked, read, onLate), recallIt);
      }
      // What is told at once is never late: only what must not be served any more is worth a note.
      if (!isPublic(asked)) forget(slug);
      return { page: asked, isConfirmed: true };
    },

    /** For whoever hides the page, or a version of it, in this process: nothing of it is served from memory after. */
    forget,
  };
}

function waitFor(line: Line, number: number | null): Promise<Page | null> {
  line.waiting ??= new Map();
  let waiting = line.waiting.get(number);
  if (waiting === undefined) {
    waiting = defer();
    line.waiting.set(number, waiting);
  }
  return waiting.page;
}

function defer(): Waiting {
  let resolve: Waiting['resolve'] = () => undefined;
  let reject: Waiting['reject'] = () => undefined;
  const page = new Promise<Page | null>((...settle) => {
    [resolve, reject] = settle;
  });
  return { page, resolve, reject };
}

function failWaiting(line: Line, error: unknown): void {
  for (const { reject } of line.waiting?.values() ?? []) reject(error);
  line.waiting = null;
}

/** Who shares a read had nothing in memory when they came. */
function nobodyMinds(): void {
  // nothing is served in its place
}

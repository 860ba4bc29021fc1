import { nullIfNotFound, unavailable } from '../../shared/domain/errors.ts';
import type { Page } from '../../shared/drops/drop.ts';
import { PageCache } from '../../shared/pages/page-cache.ts';
import { createTestClock } from '../support/clock.ts';
import { createThrottledRecordingLog } from '../worker/recording-log.ts';

/** A read that waits until the test answers it. */
interface Asked {
  readonly slug: string;
  readonly number: number | null;
  answer(page: Page | null): Promise<void>;
  fail(error: Error): Promise<void>;
}

export const maxAgeMs = 1_000;
export const aTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
export const down = () => unavailable('The database is down.', 1, { isDown: true });

export function aPage(rev = 1, number = 1, changes: Partial<Page> = {}): Page {
  const id = `v${number}`;
  const version = { id, number, sizeBytes: 1, hasContext: false, mediaType: 'text/html', createdAt: 1 };
  const drop = { dropId: 'd', ownerId: 'o', slug: 'abc', title: `title ${rev}`, description: null };
  const state = {
    lock: null,
    isTakenDown: false,
    createdAt: 1,
    expiresAt: null,
    comments: 'owner' as const,
    access: 'link' as const,
    people: null,
    latestVersion: number,
    rev,
  };
  return { ...drop, ...state, version, ...changes };
}

export const lock = { id: 'l', hash: 'h' };

/** Memory and lookup over a store that answers when the test says so. Every notice and confirmation is the test's. */
export function openScene({ confirmEveryMs = null as number | null } = {}) {
  const asked: Asked[] = [];
  const confirmations: (readonly string[])[] = [];
  const revisions = new Map<string, number>();
  let beforeConfirmation = async (): Promise<void> => undefined;
  const listeners: ((slug: string) => void)[] = [];
  const clock = createTestClock();
  const log = createThrottledRecordingLog(clock);
  const config = { PAGE_CACHE_BYTES: 1_000_000 };
  const drops = {
    findPage(slug: string, number: number | null) {
      return new Promise<Page | null>((resolve, reject) => {
        const settled = (settle: () => void) => {
          settle();
          return aTurn();
        };
        asked.push({
          slug,
          number,
          answer: (page) => settled(() => resolve(page)),
          fail: (error) => settled(() => reject(error)),
        });
      });
    },
    async findRevisions(slugs: readonly string[]) {
      confirmations.push(slugs);
      await beforeConfirmation();
      return new Map(revisions);
    },
  };
  const changes = {
    publish: async () => undefined,
    subscribe: (listener: (slug: string) => void) => void listeners.push(listener),
    isCurrent: (asOf: number) => clock.now() - asOf < maxAgeMs,
    now: clock.now,
    confirmEveryMs,
  };
  const cache = new PageCache({ drops, changes, clock, log, config });
  function find(number: number | null = null) {
    const found = cache.find('abc', number, () => true);
    found.catch(() => undefined); // tests await it later, or not at all
    return found;
  }

  async function known(page: Page | null = aPage(), number: number | null = null): Promise<void> {
    const found = find(number);
    await asked.at(-1)?.answer(page);
    await found.catch(nullIfNotFound);
  }

  return {
    cache,
    asked,
    clock,
    log,
    find,
    known,
    revisions,
    confirmations,
    notice(slug = 'abc') {
      for (const listener of listeners) listener(slug);
    },
    /** What is served without a read. */
    title: (number: number | null = null) => cache.getCached('abc', number)?.title,
    holdConfirmations(hold: () => Promise<void>) {
      beforeConfirmation = hold;
    },
  };
}

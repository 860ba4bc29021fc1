import type { Caller } from '../accounts/account.ts';
import { DropError, unavailable } from '../domain/errors.ts';
import { type FindTitle, type FoundTitle, findTitleQuickly } from '../html/title.ts';
import { withTimeout } from '../util/promises.ts';
import { createFairQueue } from '../util/queues.ts';

/** A waiting search holds its document in memory. */
const maxWaiting = 32;

export type Searched = Pick<FoundTitle, 'title'>;

export type Titles = ReturnType<typeof createTitles>;

/** The titles of documents that are posted without one. */
export function createTitles({
  findTitle,
  config,
}: {
  findTitle: FindTitle;
  config: { readonly TITLE_MAX_CHARACTERS: number };
}) {
  const turns = createFairQueue(1, maxWaiting);
  const maxCharacters = config.TITLE_MAX_CHARACTERS;

  /** @param endMs of `performance.now()`: a search whose turn comes later is not begun @throws DropError `unavailable` */
  async function search(caller: Caller, html: Uint8Array, endMs: number): Promise<Searched> {
    const late = unavailable('Too many documents are being searched for their title.');
    const found = await turns.run([caller.ownerId], async () => {
      if (performance.now() > endMs) throw late;
      return { title: await findTitle(html, maxCharacters) };
    });
    if (found === undefined) throw late;
    return found;
  }

  return {
    /**
     * The document's title, cut to the limit; null if head has none. Most are found at once, near the start; for others the
     * accounts take fair turns in a thread. @throws DropError `unavailable`, and those of `caller.confirm`
     */
    async find(caller: Caller, html: Uint8Array): Promise<string | null> {
      const quick = findTitleQuickly(html, maxCharacters);
      if (quick.isFinal) return quick.title;
      const { title } = await search(caller, html, Number.POSITIVE_INFINITY);
      await caller.confirm(); // the search can wait for seconds
      return title;
    },

    /** As `find`. @param endMs of `performance.now()` @returns null: the search did not end until then @throws as `caller.confirm` */
    async findUntil(caller: Caller, html: Uint8Array, endMs: number): Promise<Searched | null> {
      const quick = findTitleQuickly(html, maxCharacters);
      if (quick.isFinal) return quick;
      const leftMs = endMs - performance.now();
      if (leftMs <= 0) return null;
      const late = () => unavailable('The search for a title took too long.');
      const found = await withTimeout(leftMs, search(caller, html, endMs), late).catch(nullIfUnavailable);
      await caller.confirm();
      return found;
    },
  };
}

function nullIfUnavailable(error: unknown): null {
  if (error instanceof DropError && error.code === 'unavailable') return null;
  throw error;
}

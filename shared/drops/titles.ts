import type { Caller } from '../accounts/account.ts';
import { DropError, unavailable } from '../domain/errors.ts';
import { type FindTitle, type FoundTitle, findTitleQuickly } from '../html/title.ts';
import { FairQueue } from '../util/fair-queue.ts';
import { withTimeout } from '../util/promises.ts';

/** A waiting search holds its document in memory. */
const maxWaiting = 32;

export type Searched = Pick<FoundTitle, 'title'>;

interface Deps {
  readonly findTitle: FindTitle;
  readonly config: { readonly TITLE_MAX_CHARACTERS: number };
}

/** The titles of documents that are posted without one. */
export class Titles {
  readonly #findTitle: FindTitle;
  readonly #turns = new FairQueue(1, maxWaiting);
  readonly #maxCharacters: number;

  constructor({ findTitle, config }: Deps) {
    this.#findTitle = findTitle;
    this.#maxCharacters = config.TITLE_MAX_CHARACTERS;
  }

  /**
   * The document's title, cut to the limit; null if head has none. Most are found at once, near the start; for others the
   * accounts take fair turns in a thread. @throws DropError `unavailable`, and those of `caller.confirm`
   */
  async find(caller: Caller, html: Uint8Array): Promise<string | null> {
    const quick = findTitleQuickly(html, this.#maxCharacters);
    if (quick.isFinal) return quick.title;
    const { title } = await this.#search(caller, html, Number.POSITIVE_INFINITY);
    await caller.confirm(); // the search can wait for seconds
    return title;
  }

  /** As `find`. @param endMs of `performance.now()` @returns null: the search did not end until then @throws as `caller.confirm` */
  async findUntil(caller: Caller, html: Uint8Array, endMs: number): Promise<Searched | null> {
    const quick = findTitleQuickly(html, this.#maxCharacters);
    if (quick.isFinal) return quick;
    const leftMs = endMs - performance.now();
    if (leftMs <= 0) return null;
    const late = () => unavailable('The search for a title took too long.');
    const found = await withTimeout(leftMs, this.#search(caller, html, endMs), late).catch(nullIfUnavailable);
    await caller.confirm();
    return found;
  }

  /** @param endMs of `performance.now()`: a search whose turn comes later is not begun @throws DropError `unavailable` */
  async #search(caller: Caller, html: Uint8Array, endMs: number): Promise<Searched> {
    const late = unavailable('Too many documents are being searched for their title.');
    const found = await this.#turns.run([caller.accountId], async () => {
      if (performance.now() > endMs) throw late;
      return { title: await this.#findTitle(html, this.#maxCharacters) };
    });
    if (found === undefined) throw late;
    return found;
  }
}

function nullIfUnavailable(error: unknown): null {
  if (error instanceof DropError && error.code === 'unavailable') return null;
  throw error;
}

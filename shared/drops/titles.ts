import type { Caller } from '../accounts/account.ts';
import { unavailable } from '../domain/errors.ts';
import { type FindTitle, findTitleQuickly } from '../html/title.ts';
import { createFairQueue } from '../util/queues.ts';

/** A waiting search holds its document in memory. */
const maxWaiting = 32;

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

  return {
    /**
     * The document's title, cut to the limit; null if head has none. Most are found at once, near the start; for others the
     * accounts take fair turns in a thread. @throws DropError `unavailable`, and those of `caller.confirm`
     */
    async find(caller: Caller, html: Uint8Array): Promise<string | null> {
      const quick = findTitleQuickly(html, maxCharacters);
      if (quick.isFinal) return quick.title;
      const found = await turns.run([caller.ownerId], async () => ({
        title: await findTitle(html, maxCharacters),
      }));
      if (found === undefined) throw unavailable('Too many documents are being searched for their title.');
      await caller.confirm(); // the search can wait for seconds
      return found.title;
    },
  };
}

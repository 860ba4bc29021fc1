import type { Caller } from '../accounts/account.ts';
import { DropError, unavailable } from '../domain/errors.ts';
import { type FindTitle, findTitleQuickly } from '../html/title.ts';
import type { Log } from '../log/log.ts';
import { createFairQueue } from '../util/queues.ts';
import type { Drop, WriteIds } from './drop.ts';
import type { Drops, NewVersionInput, Target } from './drops.ts';

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

/** The title of a drop follows that of its documents if it is the title of the latest document, or of the one before. */
export function createFollowingTitles({
  drops,
  titles,
  log,
}: {
  drops: Pick<Drops, 'get' | 'listVersions' | 'readHtml' | 'addVersion'>;
  titles: Titles;
  log: Pick<Log, 'warn'>;
}) {
  /** The new title of the drop, and the revision for which it was found; null: the title stays. */
  async function follow(caller: Caller, slug: string, html: Uint8Array) {
    const { title, rev } = await drops.get(caller, slug);
    const next = await titles.find(caller, html);
    if (next === null || next === title) return null;
    for (const version of (await drops.listVersions(caller, slug)).slice(0, 2)) {
      const own = await titles.find(caller, await drops.readHtml(caller, slug, version));
      if (own === title) return { title: next, rev };
    }
    return null;
  }

  /** A damaged document must not keep the next one from being published. */
  function stay(err: unknown): null {
    if (err instanceof DropError && err.code !== 'not_found') throw err;
    if (!(err instanceof DropError))
      log.warn({ err }, 'a title was not compared with that of its document, and stays');
    return null;
  }

  return {
    /** As `Drops.addVersion`; without a title in `input`, the title follows, unless the drop is changed meanwhile. */
    async addVersion(caller: Caller, target: Target, input: NewVersionInput, ids?: WriteIds): Promise<Drop> {
      const keepTitle = () => drops.addVersion(caller, target, input, ids);
      if (input.title !== undefined) return keepTitle();
      const followed = await follow(caller, target.slug, input.html).catch(stay);
      if (followed === null || target.revs?.includes(followed.rev) === false) return keepTitle();
      const { title, rev } = followed;
      return drops
        .addVersion(caller, { ...target, revs: [rev] }, { ...input, title }, ids)
        .catch((error: unknown) => {
          if (error instanceof DropError && error.code === 'version_conflict') return keepTitle();
          throw error;
        });
    },
  };
}

import { LRUCache } from 'lru-cache';
import type { Caller } from '../accounts/account.ts';
import { DropError } from '../domain/errors.ts';
import type { Log } from '../log/log.ts';
import { waitAtMost } from '../util/promises.ts';
import { sha256Of } from '../util/sha256.ts';
import type { Drop, OwnedVersion, WriteIds } from './drop.ts';
import type { Drops, NewVersionInput, Target } from './drops.ts';
import { nullIfConflict } from './refusals.ts';
import type { Searched, Titles } from './titles.ts';

/** All searches for a new version together. */
const searchMs = 1_500;

/** With the reads of the store: a request is answered within ANSWER_MS (4.5 s). */
const followMs = 2_000;

/** Each lost attempt means that a parallel call has changed the drop. */
const attempts = 3;

/** At most 1 MB. */
const maxKnownTitles = 1_000;

const titleStays =
  'the title stays, because it was not found out in time whether it is the <title> of the document before: to change it, send title';

/** `stays`: it is not that of a document, or is the new one already; `unknown`: not found out in time. */
type Outcome = Followed | 'stays' | 'unknown';

interface Followed {
  readonly title: string;
  /** The revision of the drop for which it was found. */
  readonly rev: number;
}

interface FollowingTitlesDeps {
  readonly drops: Pick<Drops, 'get' | 'listVersions' | 'readHtml' | 'addVersion'>;
  readonly titles: Titles;
  readonly log: Pick<Log, 'warn'>;
}

/** The title of a drop follows that of its documents if it is the title of the latest document, or of the one before. */
export class FollowingTitles {
  readonly #deps: FollowingTitlesDeps;
  /** By drop and SHA-256 of the document, so that the one before, of up to 2 MB, is rarely read. */
  readonly #known = new LRUCache<string, Searched>({ max: maxKnownTitles });

  constructor(deps: FollowingTitlesDeps) {
    this.#deps = deps;
  }

  /**
   * As `Drops.addVersion`; without a title in `input`, the title follows. It stays if it was set, also meanwhile.
   * @param warn gets a sentence for the client if it stays because a search did not end in time
   */
  async addVersion(
    caller: Caller,
    target: Target,
    input: NewVersionInput,
    { ids, warn }: { readonly ids: WriteIds | undefined; readonly warn: (warning: string) => void },
  ): Promise<Drop> {
    const { drops } = this.#deps;
    const keepTitle = () => drops.addVersion(caller, target, input, ids);
    if (input.title !== undefined) return keepTitle();
    const beganMs = performance.now();
    for (let left = attempts; left > 0; left--) {
      const followed = await this.#followInTime(caller, target, input.html, beganMs);
      if (followed === 'stays') return keepTitle();
      if (followed === 'unknown') break;
      const { title, rev } = followed;
      const stored = await drops
        .addVersion(caller, { ...target, revs: [rev] }, { ...input, title }, ids)
        .catch(nullIfConflict);
      if (stored !== null) return stored;
    }
    const drop = await keepTitle();
    warn(titleStays);
    return drop;
  }

  /** As `#follow`, in time. @throws DropError those of the reads; as `caller.confirm` */
  async #followInTime(caller: Caller, target: Target, html: Uint8Array, beganMs: number): Promise<Outcome> {
    const found: { outcome?: Outcome } = {};
    const following = this.#follow(caller, target, html, beganMs + searchMs)
      .catch((err: unknown) => this.#stay(err))
      .then((outcome) => {
        found.outcome = outcome;
      });
    await waitAtMost(Math.max(0, beganMs + followMs - performance.now()), following);
    if (found.outcome !== undefined) return found.outcome;
    await caller.confirm();
    return 'unknown';
  }

  async #follow(caller: Caller, target: Target, html: Uint8Array, endMs: number): Promise<Outcome> {
    const { drops, titles } = this.#deps;
    const drop = await drops.get(caller, target.slug);
    const { id, slug, title, rev } = drop;
    if (target.revs?.includes(rev) === false) return 'stays'; // the store refuses the version
    const next = await titles.findUntil(caller, html, endMs);
    if (next === null) return 'unknown';
    this.#known.set(`${id} ${(await sha256Of(html)).toString('hex')}`, next);
    if (next.title === null || next.title === title) return 'stays';
    let areAllKnown = true;
    for (const version of (await drops.listVersions(caller, slug)).slice(0, 2)) {
      const own = await this.#titleOfVersion(caller, drop, version, endMs);
      if (own === null) areAllKnown = false;
      else if (isTitleOf(own.title, title)) return { title: next.title, rev };
    }
    return areAllKnown ? 'stays' : 'unknown';
  }

  /** null: not found in time */
  async #titleOfVersion(
    caller: Caller,
    { id, slug }: Drop,
    version: OwnedVersion,
    endMs: number,
  ): Promise<Searched | null> {
    const { drops, titles } = this.#deps;
    const key = `${id} ${version.sha256}`;
    const before = this.#known.get(key);
    if (before !== undefined) return before;
    const found = await titles.findUntil(caller, await drops.readHtml(caller, slug, version), endMs);
    if (found !== null && version.sha256 !== null) this.#known.set(key, found);
    return found;
  }

  /** A damaged document must not keep the next one from being published. @throws DropError but `not_found` */
  #stay(err: unknown): 'stays' | 'unknown' {
    if (err instanceof DropError && err.code !== 'not_found') throw err;
    if (err instanceof DropError) return 'stays';
    this.#deps.log.warn({ err }, 'a title was not compared with that of its document, and stays');
    return 'unknown';
  }
}

/** Up to 1.3.0 the client cut a long title to 199 characters and an ellipsis. */
function isTitleOf(own: string | null, title: string): boolean {
  if (own === null) return false;
  return (
    own === title || (title.endsWith('…') && [...title].length === 200 && own.startsWith(title.slice(0, -1)))
  );
}

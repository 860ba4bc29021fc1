import type { Caller } from '../accounts/account.ts';
import { nullIfNotFound } from '../domain/errors.ts';
import { type Drop, isChanged, type WriteIds } from '../drops/drop.ts';
import type { Drops, NewVersionInput, Target } from '../drops/drops.ts';
import { applySharing } from '../drops/sharing.ts';
import { sha256Of } from '../util/sha256.ts';
import type { Comments } from './comments.ts';
import type { Resolves } from './resolutions.ts';

/** Of the answer to a write that made no version. */
const noVersion =
  'no version was made: this document is live already, and the comments in resolves are resolved already';

interface Deps {
  readonly drops: Pick<Drops, 'check' | 'findVersion' | 'readContext' | 'readHtml'>;
  readonly comments: Pick<Comments, 'authorOf' | 'find' | 'replyUncounted'>;
}

/**
 * Resolving what is resolved already is no change: a program that publishes the live document again for that alone, because it
 * repeats itself, makes no version. PUT of the API makes one always (spec 4.4).
 */
export class ResolvedAlready {
  readonly #drops: Deps['drops'];
  readonly #comments: Deps['comments'];

  constructor({ drops, comments }: Deps) {
    this.#drops = drops;
    this.#comments = comments;
  }

  /**
   * Adds the reply to each comment, and no version. A repeat with the same ids adds it once. Not atomic: a reply that has no
   * room is refused, those before it stay.
   * @returns the drop as it is; null: it is a version, because something changes: nothing was done
   * @param warn gets a sentence for the client @throws DropError as a change of the drop would; `quota_exceeded`
   */
  async replyInstead(
    caller: Caller,
    target: Target,
    input: NewVersionInput,
    { ids, warn }: { readonly ids: WriteIds | undefined; readonly warn: (warning: string) => void },
  ): Promise<Drop | null> {
    const { html: _, context: _context, resolves = null, ...changes } = input;
    if (resolves === null) return null;
    const drop = await this.#drops.check(caller, target);
    const commentIds = new Set(resolves.ids);
    if (isChanged(drop, applySharing(changes, drop))) return null;
    if (!(await this.#isLive(caller, target.slug, input))) return null;
    if (!(await this.#areResolved(caller, drop, commentIds))) return null;
    if (resolves.reply !== null) await this.#reply(caller, commentIds, resolves.reply, ids);
    warn(noVersion);
    return drop;
  }

  async #isLive(caller: Caller, slug: string, { html, context }: NewVersionInput): Promise<boolean> {
    const { version } = await this.#drops.findVersion(caller, slug, null);
    const hasContext = context !== null && context.length > 0;
    if (version.sizeBytes !== html.length || version.hasContext !== hasContext) return false;
    const digest = (await sha256Of(html)).toString('hex');
    const live =
      version.sha256 ?? (await sha256Of(await this.#drops.readHtml(caller, slug, version))).toString('hex');
    if (live !== digest) return false;
    if (!hasContext) return true;
    const liveContext = await this.#drops.readContext(caller, slug, version);
    return liveContext !== null && Buffer.compare(liveContext, context) === 0;
  }

  /** false also if one is no comment on the drop: the write refuses it */
  async #areResolved(caller: Caller, drop: Drop, ids: ReadonlySet<string>): Promise<boolean> {
    for (const id of ids) {
      const comment = await this.#comments.find(caller, id).catch(nullIfNotFound);
      if (comment?.dropId !== drop.id || comment.state !== 'resolved') return false;
    }
    return true;
  }

  async #reply(
    caller: Caller,
    commentIds: ReadonlySet<string>,
    text: NonNullable<Resolves['reply']>,
    ids: WriteIds | undefined,
  ): Promise<void> {
    const author = await this.#comments.authorOf(caller);
    for (const id of commentIds)
      await this.#comments.replyUncounted(caller, id, author, text, ids?.versionId);
  }
}

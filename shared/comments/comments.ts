import type { Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { Clock } from '../domain/clock.ts';
import { notFound } from '../domain/errors.ts';
import { newId } from '../domain/ids.ts';
import type { Page } from '../drops/drop.ts';
import type { Limits } from '../limits/limits.ts';
import type { Visitor } from '../limits/visitor.ts';
import { checkMayRemove, checkMayResolve, findOwner, forbidden, isSame, isVisible } from './authors.ts';
import { boundReached } from './bounds.ts';
import { changeComment, editOf, findReply, hasReply, type ThreadChange } from './changing.ts';
import {
  type Anchor,
  type Author,
  type Comment,
  type CommentState,
  changerOf,
  commentLimits,
  type UnnumberedComment,
} from './comment.ts';
import type { CommentCounts, CommentStore } from './comment-store.ts';
import { CommentLists, type ListDeps } from './lists.ts';
import { CommentRateLimits } from './rate-limits.ts';
import type { ClaimedAnchor, Sides } from './sides.ts';
import type { Waiting } from './waiting.ts';

/** What a person or a program writes. */
export interface NewComment {
  /** null: about the whole page. */
  readonly anchor: ClaimedAnchor | null;
  readonly text: string;
}

/** The version that is commented. */
export interface CommentedVersion {
  readonly dropId: string;
  readonly ownerId: string;
  readonly slug: string;
  readonly version: { readonly id: string; readonly number: number };
}

/** The new text of a comment or a reply. */
export interface Edit {
  readonly text: string;
  readonly replyId: string | null;
  readonly state?: CommentState | null;
}

/** Where a comment must be: on a drop of the owner, or on that drop. */
export type Scope = Pick<Caller, 'accountId'> | { readonly dropId: string };

interface Deps extends ListDeps {
  readonly accounts: Pick<AccountStore, 'find'>;
  readonly limits: Pick<Limits, 'attempts' | 'take' | 'quotaOf' | 'quotasOf'>;
  readonly sides: Sides;
  readonly clock: Clock;
}

/** Comments of readers on versions of drops, for their owners, for readers, and for the programs of owners. */
export class Comments extends CommentLists {
  readonly #store: CommentStore;
  readonly #accounts: Deps['accounts'];
  readonly #rateLimits: CommentRateLimits;
  readonly #waiting: Waiting;
  readonly #sides: Sides;
  readonly #sideEffects: Deps['sideEffects'];
  readonly #clock: Clock;

  constructor(deps: Deps) {
    super(deps);
    this.#store = deps.comments;
    this.#accounts = deps.accounts;
    this.#rateLimits = new CommentRateLimits(deps);
    this.#waiting = deps.waiting;
    this.#sides = deps.sides;
    this.#sideEffects = deps.sideEffects;
    this.#clock = deps.clock;
  }

  /** By drop id; only drops that have any. */
  async count(dropIds: readonly string[]): Promise<Map<string, CommentCounts>> {
    return dropIds.length === 0 ? new Map() : this.#store.countByDrop(dropIds);
  }

  authorOf(caller: Caller): Promise<Author> {
    return findOwner(this.#accounts, caller);
  }

  /** @throws DropError `not_found` */
  async find(scope: Scope, id: string): Promise<Comment> {
    return checkIn(scope, await this.#store.find(id));
  }

  /** As `find`, if the person may read it. */
  async findVisible(scope: Scope, id: string, reader: Author): Promise<Comment> {
    const comment = await this.find(scope, id);
    if (!isVisible(comment, reader)) throw notFound('comment');
    return comment;
  }

  /** A guest's comment is held. A repeat with the same id returns the comment as it is. @throws DropError `quota_exceeded` */
  async add(
    target: CommentedVersion,
    author: Author,
    { anchor: claimed, text }: NewComment,
    id = newId(this.#clock.now()),
  ): Promise<Comment> {
    const written = await this.#countAct(author, () => this.#store.find(id));
    if (written !== null) return written;
    const now = this.#clock.now();
    const { dropId, ownerId, version } = target;
    const anchor = claimed && (await this.#sides.check(ownerId, version.id, claimed));
    const comment = newComment(target, { id, author, anchor, text, createdAt: now });
    const stored = await this.#store.insert(comment, now, commentLimits);
    if (typeof stored === 'string') throw boundReached(stored);
    if (anchor !== null) this.#sideEffects.enqueueVersionJob(dropId, version.id); // its job looks for the quote in the latest version
    this.#waiting.notify(ownerId);
    return stored;
  }

  /** Does what a reader asks for, and counts it. @throws DropError `rate_limited` */
  runLimited<T>(page: Page, author: Author, visitor: Visitor, act: () => Promise<T>): Promise<T> {
    return this.#rateLimits.run(page, author, visitor, act);
  }

  /** @param state what the thread becomes; null: it stays. @param replyId of a reply that may be repeated */
  async reply(
    scope: Scope,
    id: string,
    actor: Author,
    text: string,
    state: CommentState | null,
    replyId = newId(this.#clock.now()),
  ): Promise<Comment> {
    const written = await this.#countAct(actor, async () => {
      const found = await this.#store.find(id);
      return found !== null && hasReply(found, replyId) ? checkIn(scope, found) : null;
    });
    if (written !== null) return written;
    return this.#addReply(scope, id, actor, { text, state, replyId });
  }

  /** As a part of a write that is counted elsewhere. @param replyId of a reply that may be repeated */
  replyUncounted(
    scope: Scope,
    id: string,
    actor: Author,
    text: string,
    replyId = newId(this.#clock.now()),
  ): Promise<Comment> {
    return this.#addReply(scope, id, actor, { text, state: null, replyId });
  }

  /** Resolves, opens again, or approves what is held. The owner may, and who began the thread. */
  setState(scope: Scope, id: string, actor: Author, state: CommentState): Promise<Comment> {
    return this.#change(scope, id, actor, (comment) => {
      if (comment.state === state) return null;
      checkMayResolve(comment, actor);
      return { fields: { state } };
    });
  }

  /**
   * Only of one's own. Not of guests: what the owner approves or resolves is what the owner has read.
   * @param replyId null: the comment itself @param state what the thread becomes, in the same change; null: it stays
   */
  async edit(
    scope: Scope,
    id: string,
    actor: Author,
    { text, replyId, state = null }: Edit,
  ): Promise<Comment> {
    await this.#rateLimits.take(actor);
    return this.#change(scope, id, actor, (comment) => {
      const target = replyId === null ? comment : findReply(comment, replyId);
      if (!isSame(target.author, actor)) throw forbidden('Only who wrote it can edit it');
      if (actor.role === 'guest') throw forbidden('Guests can delete a comment and write another one');
      const fields = state === null || state === comment.state ? {} : { state };
      if ('state' in fields) checkMayResolve(comment, actor);
      else if (target.text === text) return null;
      return editOf(comment, text, replyId, fields);
    });
  }

  /** One's own; the owner of the drop any. @param replyId null: the whole thread */
  async remove(scope: Scope, id: string, actor: Author, replyId: string | null): Promise<void> {
    if (replyId !== null) {
      await this.#change(scope, id, actor, (comment) => {
        checkMayRemove(findReply(comment, replyId), actor);
        return { removed: replyId };
      });
      return;
    }
    const comment = await this.findVisible(scope, id, actor);
    checkMayRemove(comment, actor);
    await this.#store.remove(id);
    this.#waiting.notify(comment.ownerId);
  }

  /**
   * Counts what an account writes. @param findDone what an earlier attempt has written; null: nothing
   * @returns what an earlier attempt has written, if there are no more to count @throws DropError `rate_limited`
   */
  async #countAct(author: Author, findDone: () => Promise<Comment | null>): Promise<Comment | null> {
    try {
      await this.#rateLimits.take(author);
      return null;
    } catch (error) {
      const done = await findDone();
      if (done === null) throw error;
      await this.#store.confirm();
      return done;
    }
  }

  /** @param act throws if it may not be done; null: there is nothing to change */
  async #change(
    scope: Scope,
    id: string,
    actor: Author,
    act: (comment: Comment) => ThreadChange | null,
  ): Promise<Comment> {
    const deps = { store: this.#store, clock: this.#clock };
    const stored = await changeComment(deps, id, changerOf(actor), (found) => {
      const comment = checkIn(scope, found);
      if (!isVisible(comment, actor)) throw notFound('comment');
      return { comment, act: act(comment) };
    });
    this.#waiting.notify(stored.ownerId);
    return stored;
  }

  /** A repeat with the same id changes nothing. */
  #addReply(
    scope: Scope,
    id: string,
    actor: Author,
    { text, state, replyId }: { text: string; state: CommentState | null; replyId: string },
  ): Promise<Comment> {
    return this.#change(scope, id, actor, (comment) => {
      if (hasReply(comment, replyId)) return null;
      if (actor.role === 'guest') throw forbidden('Guests can write comments, and no replies');
      if (state !== null) checkMayResolve(comment, actor);
      const reply = { id: replyId, author: actor, text, createdAt: this.#clock.now() };
      return { added: [reply], ...(state !== null && { fields: { state } }) };
    });
  }
}

interface Written {
  readonly id: string;
  readonly author: Author;
  readonly anchor: Anchor | null;
  readonly text: string;
  readonly createdAt: number;
}

function newComment(target: CommentedVersion, written: Written): UnnumberedComment {
  const { dropId, ownerId, slug, version } = target;
  const { author, createdAt } = written;
  return {
    ...written,
    ownerId,
    dropId,
    slug,
    versionId: version.id,
    version: version.number,
    kind: 'comment',
    inLatest: 'kept',
    state: author.role === 'guest' ? 'held' : 'open',
    replies: [],
    resolvedBy: null,
    resolving: [],
    updatedAt: createdAt,
    updatedBy: changerOf(author),
    otherSeq: 0,
  };
}

/** @throws DropError `not_found` */
function checkIn(scope: Scope, found: Comment | null): Comment {
  const isIn = 'dropId' in scope ? found?.dropId === scope.dropId : found?.ownerId === scope.accountId;
  if (found === null || !isIn) throw notFound('comment');
  return found;
}

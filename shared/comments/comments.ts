import type { Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { Clock } from '../domain/clock.ts';
import { notFound } from '../domain/errors.ts';
import { newId } from '../domain/ids.ts';
import type { Page } from '../drops/drop.ts';
import type { DropStore } from '../drops/drop-store.ts';
import { limitTable } from '../limits/limit-table.ts';
import type { Limits } from '../limits/limits.ts';
import type { ListsAtOnce } from '../limits/lists-at-once.ts';
import type { Visitor } from '../limits/visitor.ts';
import { checkMayResolve, findOwner, forbidden, isSame, isVisible, readerOf } from './authors.ts';
import { boundReached } from './bounds.ts';
import { type Act, changeComment } from './changing.ts';
import { type Author, type Comment, type CommentState, commentLimits, type Reply } from './comment.ts';
import type { CommentCounts, CommentStore } from './comment-store.ts';
import { createCommentLists } from './lists.ts';
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
export type Scope = { readonly ownerId: string } | { readonly dropId: string };

export type Comments = ReturnType<typeof createComments>;

/** Comments of readers on versions of drops, for their owners, for readers, and for the programs of owners. */
export function createComments(deps: {
  comments: CommentStore;
  drops: Pick<DropStore, 'find'>;
  accounts: Pick<AccountStore, 'find'>;
  limits: Pick<Limits, 'attempts' | 'take' | 'quotaOf' | 'quotasOf'>;
  runList: ListsAtOnce;
  waiting: Waiting;
  sides: Sides;
  followUps: { enqueueRender(dropId: string, versionId: string): void };
  clock: Clock;
}) {
  const { comments: store, accounts, limits, waiting, sides, followUps, clock } = deps;

  /** See `Account.countsAs`. */
  async function countsAsOf(accountId: string): Promise<string> {
    return (await accounts.find(accountId))?.countsAs ?? accountId;
  }

  /**
   * Counts what an account writes. @param findDone what an earlier attempt has written; null: nothing
   * @returns what an earlier attempt has written, if there are no more to count @throws DropError `rate_limited`
   */
  async function countAct(
    { accountId }: Author,
    findDone: () => Promise<Comment | null>,
  ): Promise<Comment | null> {
    if (accountId === null) return null;
    try {
      const countsAs = await countsAsOf(accountId);
      await limits.take(limitTable.commentOfMinute, countsAs);
      await limits.take(limitTable.commentOfDay, countsAs);
      return null;
    } catch (error) {
      const done = await findDone();
      if (done === null) throw error;
      await store.confirm();
      return done;
    }
  }

  async function insert(
    target: CommentedVersion,
    author: Author,
    { anchor: claimed, text }: NewComment,
    id = newId(clock.now()),
  ): Promise<Comment> {
    const written = await countAct(author, () => store.find(id));
    if (written !== null) return written;
    const now = clock.now();
    const { dropId, ownerId, slug, version } = target;
    const anchor = claimed && (await sides.check(ownerId, version.id, claimed));
    const comment = {
      ...{ id, ownerId, dropId, slug, versionId: version.id, version: version.number },
      ...({ kind: 'comment', anchor, inLatest: 'kept', author, text, replies: [] } as const),
      state: author.role === 'guest' ? ('held' as const) : ('open' as const),
      ...{ resolvedBy: null, resolving: [], createdAt: now, updatedAt: now },
      ...{ updatedBy: author.tokenId, otherSeq: 0 },
    };
    const stored = await store.insert(comment, now, commentLimits);
    if (typeof stored === 'string') throw boundReached(stored);
    if (anchor !== null) followUps.enqueueRender(dropId, version.id); // its job looks for the quote in the latest version
    waiting.notify(ownerId);
    return stored;
  }

  /** @throws DropError `not_found` */
  async function findIn(scope: Scope, id: string): Promise<Comment> {
    return checkIn(scope, await store.find(id));
  }

  /** As `findIn`, if the person may read it. */
  async function findVisible(scope: Scope, id: string, reader: Author): Promise<Comment> {
    const comment = await findIn(scope, id);
    if (!isVisible(comment, reader)) throw notFound('comment');
    return comment;
  }

  /** @param act throws if it may not be done; null: there is nothing to change */
  async function change(
    scope: Scope,
    id: string,
    actor: Author,
    act: (comment: Comment) => Act | null,
  ): Promise<Comment> {
    const stored = await changeComment({ store, clock }, id, actor.tokenId, (found) => {
      const comment = checkIn(scope, found);
      if (!isVisible(comment, actor)) throw notFound('comment');
      return { comment, act: act(comment) };
    });
    waiting.notify(stored.ownerId);
    return stored;
  }

  /** A repeat with the same id changes nothing. */
  async function addReply(
    scope: Scope,
    id: string,
    actor: Author,
    { text, state, replyId }: { text: string; state: CommentState | null; replyId: string },
  ): Promise<Comment> {
    return change(scope, id, actor, (comment) => {
      if (hasReply(comment, replyId)) return null;
      if (actor.role === 'guest') throw forbidden('Guests can write comments, and no replies');
      if (state !== null) checkMayResolve(comment, actor);
      const reply = { id: replyId, author: actor, text, createdAt: clock.now() };
      return { added: [reply], ...(state !== null && { fields: { state } }) };
    });
  }

  return {
    ...createCommentLists(deps),

    /** By drop id; only drops that have any. */
    count: (dropIds: readonly string[]): Promise<Map<string, CommentCounts>> =>
      dropIds.length === 0 ? Promise.resolve(new Map()) : store.countByDrop(dropIds),

    authorOf: (caller: Caller): Promise<Author> => findOwner(accounts, caller),
    readerOf,

    /** A guest's comment is held. A repeat with the same id returns the comment as it is. @throws DropError `quota_exceeded` */
    add: insert,

    /** Does what a reader asks for, and counts it. @throws DropError `rate_limited` */
    async countFor<T>(page: Page, author: Author, visitor: Visitor, act: () => Promise<T>): Promise<T> {
      if (author.role === 'owner') return act();
      const ofAuthor =
        author.accountId === null
          ? limits.quotasOf(limitTable.commentOfGuest, visitor)
          : [limits.quotaOf(limitTable.commentOfMember, await countsAsOf(author.accountId))];
      return limits.attempts.comment.run({
        visitor,
        quotas: [
          ...ofAuthor,
          limits.quotaOf(limitTable.commentOnDrop, page.dropId),
          limits.quotaOf(limitTable.commentForOwner, page.ownerId),
        ],
        check: act,
        counts: () => true,
      });
    },

    /** @param state what the thread becomes; null: it stays. @param replyId of a reply that may be repeated */
    async reply(
      scope: Scope,
      id: string,
      actor: Author,
      text: string,
      state: CommentState | null,
      replyId = newId(clock.now()),
    ): Promise<Comment> {
      const written = await countAct(actor, async () => {
        const found = await store.find(id);
        return found !== null && hasReply(found, replyId) ? checkIn(scope, found) : null;
      });
      if (written !== null) return written;
      return addReply(scope, id, actor, { text, state, replyId });
    },

    /** As a part of a write that is counted elsewhere. @param replyId of a reply that may be repeated */
    replyUncounted: (
      scope: Scope,
      id: string,
      actor: Author,
      text: string,
      replyId = newId(clock.now()),
    ): Promise<Comment> => addReply(scope, id, actor, { text, state: null, replyId }),

    /** Resolves, opens again, or approves what is held. The owner may, and who began the thread. */
    setState: (scope: Scope, id: string, actor: Author, state: CommentState): Promise<Comment> =>
      change(scope, id, actor, (comment) => {
        if (comment.state === state) return null;
        checkMayResolve(comment, actor);
        return { fields: { state } };
      }),

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
      await countAct(actor, async () => null);
      return change(scope, id, actor, (comment) => {
        const target = replyId === null ? comment : findReply(comment, replyId);
        if (!isSame(target.author, actor)) throw forbidden('Only who wrote it can edit it');
        if (actor.role === 'guest') throw forbidden('Guests can delete a comment and write another one');
        const fields = state === null || state === comment.state ? {} : { state };
        if ('state' in fields) checkMayResolve(comment, actor);
        else if (target.text === text) return null;
        return editOf(comment, text, replyId, fields);
      });
    },

    /** One's own; the owner of the drop any. @param replyId null: the whole thread */
    async remove(scope: Scope, id: string, actor: Author, replyId: string | null): Promise<void> {
      const checkMayRemove = ({ author }: Comment | Reply) => {
        if (actor.role !== 'owner' && !isSame(author, actor))
          throw forbidden('Only who wrote it, and the owner of the page, can delete it');
      };
      if (replyId !== null) {
        await change(scope, id, actor, (comment) => {
          checkMayRemove(findReply(comment, replyId));
          return { removed: replyId };
        });
        return;
      }
      const comment = await findVisible(scope, id, actor);
      checkMayRemove(comment);
      await store.remove(id);
      waiting.notify(comment.ownerId);
    },

    find: findIn,
    findVisible,
  };
}

/** @throws DropError `not_found` */
function checkIn(scope: Scope, found: Comment | null): Comment {
  const isIn = 'dropId' in scope ? found?.dropId === scope.dropId : found?.ownerId === scope.ownerId;
  if (found === null || !isIn) throw notFound('comment');
  return found;
}

/** @param fields what else changes */
function editOf({ replies }: Comment, text: string, replyId: string | null, fields: Act['fields']): Act {
  if (replyId === null) return { fields: { ...fields, text } };
  const at = replies.findIndex((reply) => reply.id === replyId);
  return { fields: { ...fields }, edited: { at, id: replyId, text } };
}

function hasReply({ replies }: Comment, id: string): boolean {
  return replies.some((reply) => reply.id === id);
}

function findReply({ replies }: Comment, replyId: string): Reply {
  const found = replies.find(({ id }) => id === replyId);
  if (found === undefined) throw notFound('reply');
  return found;
}

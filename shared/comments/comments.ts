import type { Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { Clock } from '../domain/clock.ts';
import { type DropError, notFound } from '../domain/errors.ts';
import { newId } from '../domain/ids.ts';
import type { Page } from '../drops/drop.ts';
import type { DropStore } from '../drops/drop-store.ts';
import { capReached, type Limits } from '../limits/limits.ts';
import { quotaOf, quotasOf, type Visitor } from '../limits/visitor.ts';
import { checkMayResolve, findOwner, forbidden, isSame, isVisible, readerOf, tokenIdOf } from './authors.ts';
import {
  type Author,
  type Comment,
  type CommentState,
  changedBy,
  commentLimits,
  isNewsFor,
  type Reply,
} from './comment.ts';
import type { CommentCounts, CommentStore } from './comment-store.ts';
import { type CommentList, readList } from './reading.ts';
import { replaceComment } from './replacing.ts';
import { type ClaimedAnchor, decidingClaims, type Sides } from './sides.ts';
import type { Waiting } from './waiting.ts';

/** Full answers of a token's own changes that a request which waits leaves out. Then it is answered with nothing and a later cursor. */
const ownPartsAtMost = 10;
/** Changes count, too. Guests are counted by address, and several members may share one. */
const guestCommentsPerHour = 20;
const memberCommentsPerHour = 60;
const commentsOfOthersPerHour = { ofDrop: 120, ofOwner: 600 } as const;

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

/** Where a comment must be: on a drop of the owner, or on that drop. */
export type Scope = { readonly ownerId: string } | { readonly dropId: string };

export interface CommentFilter {
  /** null: of all drops. */
  readonly slug: string | null;
  readonly states: readonly CommentState[];
  /** The cursor of an earlier answer: only later changes. null: all. */
  readonly after: number | null;
  readonly limit: number;
}

/** Oldest change first. */
export interface CommentPage extends CommentList {
  /** The cursor for what comes later. */
  readonly next: number;
}

export type Comments = ReturnType<typeof createComments>;

/** Comments of readers on versions of drops, for their owners, for readers, and for the programs of owners. */
export function createComments(deps: {
  comments: CommentStore;
  drops: Pick<DropStore, 'find'>;
  accounts: Pick<AccountStore, 'find'>;
  limits: Pick<Limits, 'attempts'>;
  waiting: Waiting;
  sides: Sides;
  followUps: { enqueueRender(dropId: string, versionId: string): void };
  clock: Clock;
}) {
  const { comments: store, drops, accounts, limits, waiting, sides, followUps, clock } = deps;
  const reads = decidingClaims(store, followUps.enqueueRender);

  async function insert(
    target: CommentedVersion,
    author: Author,
    { anchor: claimed, text }: NewComment,
    id = newId(clock.now()),
  ): Promise<Comment> {
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
    if (stored === null) throw tooManyComments();
    if (anchor !== null) followUps.enqueueRender(dropId, version.id); // its job looks for the quote in the latest version
    waiting.notify(ownerId);
    return stored;
  }

  /** @throws DropError `not_found` */
  async function findIn(scope: Scope, id: string): Promise<Comment> {
    return checkIn(scope, await store.find(id));
  }

  /** @param change throws if it may not be done; the same comment: there is nothing to change */
  async function change(
    scope: Scope,
    id: string,
    actor: Author,
    change: (comment: Comment) => Comment,
  ): Promise<Comment> {
    const stored = await replaceComment({ store, clock }, id, (found) => {
      const comment = checkIn(scope, found);
      if (!isVisible(comment, actor)) throw notFound('comment');
      const next = change(comment);
      return next === comment ? comment : { ...next, ...changedBy(comment, actor.tokenId, clock.now()) };
    });
    waiting.notify(stored.ownerId);
    return stored;
  }

  async function list(caller: Caller, { slug, states, after, limit }: CommentFilter): Promise<CommentPage> {
    const { ownerId } = caller;
    const drop = slug === null ? null : await drops.find(ownerId, slug);
    if (slug !== null && drop === null) throw notFound('drop');
    const dropId = drop?.id ?? null;
    const last = after ?? (await store.lastSeq(ownerId));
    const found = await readList(reads, ownerId, { dropId, states, after: after ?? 0, limit });
    const lastFound = found.comments.at(-1)?.seq ?? 0;
    return { ...found, next: found.hasMore ? lastFound : Math.max(last, lastFound) };
  }

  return {
    list,

    /**
     * As `list` after a cursor, but without what the same token has changed; if there is nothing, it waits for a change, at most
     * `ms`. @param signal the client has gone
     */
    async listOrWait(
      caller: Caller,
      filter: CommentFilter,
      ms: number,
      signal: AbortSignal,
    ): Promise<CommentPage> {
      const end = performance.now() + ms;
      const own = tokenIdOf(caller);
      let parts = 0;
      for (let { after } = filter; ; ) {
        const { comments, next, hasMore } = await list(caller, { ...filter, after });
        const from = after;
        const news = comments.filter((comment) => from === null || isNewsFor(own, comment, from));
        after = next;
        if (hasMore) parts += 1;
        if (news.length > 0 || parts === ownPartsAtMost) return { comments: news, next, hasMore };
        if (hasMore) continue; // all of it was the token's own
        const left = end - performance.now();
        const isChanged =
          left > 0 && (await waiting.wait(caller.ownerId, own ?? caller.accountId, left, signal));
        if (!isChanged) return { comments: news, next, hasMore };
      }
    },

    /** Of all drops of the account, the newest change first. @param before a `seq` */
    listNewest: (caller: Caller, states: readonly CommentState[], before: number, limit: number) =>
      readList(reads, caller.ownerId, { dropId: null, states, after: 0, before, limit }),

    /** The newest threads of a page that the person may read, as many as fit into one, oldest change first. */
    async listOfPage({ dropId, ownerId }: Page, author: Author): Promise<CommentList> {
      const bounds = { after: 0, before: Number.MAX_SAFE_INTEGER, limit: commentLimits.openPerDrop };
      const listed = (states: readonly CommentState[]) =>
        readList(reads, ownerId, { dropId, states, ...bounds });
      const lists = await Promise.all([listed(['held', 'open']), listed(['resolved'])]);
      const threads = lists.flatMap(({ comments }) => comments).toReversed();
      const hasMore = lists.some((list) => list.hasMore);
      return { comments: threads.filter((comment) => isVisible(comment, author)), hasMore };
    },

    /** By drop id; only drops that have any. */
    count: (dropIds: readonly string[]): Promise<Map<string, CommentCounts>> =>
      dropIds.length === 0 ? Promise.resolve(new Map()) : store.countByDrop(dropIds),

    authorOf: (caller: Caller): Promise<Author> => findOwner(accounts, caller),
    readerOf,

    /** A guest's comment is held. A repeat with the same id returns the comment as it is. @throws DropError `quota_exceeded` */
    add: insert,

    /** Does what a reader asks for, and counts it. @throws DropError `rate_limited` */
    countFor<T>(page: Page, author: Author, visitor: Visitor, act: () => Promise<T>): Promise<T> {
      if (author.role === 'owner') return act();
      const ofAuthor =
        author.accountId === null
          ? quotasOf('comment', visitor, guestCommentsPerHour)
          : [quotaOf('comment', author.accountId, memberCommentsPerHour)];
      return limits.attempts.comment.run({
        visitor,
        quotas: [
          ...ofAuthor,
          quotaOf('comment-of', page.dropId, commentsOfOthersPerHour.ofDrop),
          quotaOf('comment-to', page.ownerId, commentsOfOthersPerHour.ofOwner),
        ],
        check: act,
        counts: () => true,
      });
    },

    /** @param state what the thread becomes; null: it stays. @param replyId of a reply that may be repeated */
    reply: (
      scope: Scope,
      id: string,
      actor: Author,
      text: string,
      state: CommentState | null,
      replyId = newId(clock.now()),
    ) =>
      change(scope, id, actor, (comment) => {
        if (comment.replies.some((reply) => reply.id === replyId)) return comment;
        if (actor.role === 'guest') throw forbidden('Guests can write comments, and no replies');
        if (state !== null) checkMayResolve(comment, actor);
        const reply = { id: replyId, author: actor, text, createdAt: clock.now() };
        const replies = [...comment.replies, reply];
        if (replies.length > commentLimits.replies) throw tooManyReplies();
        return { ...comment, replies, ...(state !== null && { state, resolving: [] }) };
      }),

    /** Resolves, opens again, or approves what is held. The owner may, and who began the thread. */
    setState: (scope: Scope, id: string, actor: Author, state: CommentState) =>
      change(scope, id, actor, (comment) => {
        if (comment.state === state) return comment;
        checkMayResolve(comment, actor);
        return { ...comment, state, resolving: [] };
      }),

    /**
     * Only of one's own. Not of guests: what the owner approves or resolves is what the owner has read.
     * @param replyId null: the comment itself
     */
    edit: (scope: Scope, id: string, actor: Author, text: string, replyId: string | null) =>
      change(scope, id, actor, (comment) => {
        const target = replyId === null ? comment : findReply(comment, replyId);
        if (!isSame(target.author, actor)) throw forbidden('Only who wrote it can edit it');
        if (actor.role === 'guest') throw forbidden('Guests can delete a comment and write another one');
        if (target.text === text) return comment;
        if (replyId === null) return { ...comment, text };
        const replies = comment.replies.map((reply) => (reply.id === replyId ? { ...reply, text } : reply));
        return { ...comment, replies };
      }),

    /** One's own; the owner of the drop any. @param replyId null: the whole thread */
    async remove(scope: Scope, id: string, actor: Author, replyId: string | null): Promise<void> {
      const checkMayRemove = ({ author }: Comment | Reply) => {
        if (actor.role !== 'owner' && !isSame(author, actor))
          throw forbidden('Only who wrote it, and the owner of the page, can delete it');
      };
      if (replyId !== null) {
        await change(scope, id, actor, (comment) => {
          checkMayRemove(findReply(comment, replyId));
          return { ...comment, replies: comment.replies.filter((reply) => reply.id !== replyId) };
        });
        return;
      }
      const comment = await findIn(scope, id);
      if (!isVisible(comment, actor)) throw notFound('comment');
      checkMayRemove(comment);
      await store.remove(id);
      waiting.notify(comment.ownerId);
    },

    find: findIn,
  };
}

/** @throws DropError `not_found` */
function checkIn(scope: Scope, found: Comment | null): Comment {
  const isIn = 'dropId' in scope ? found?.dropId === scope.dropId : found?.ownerId === scope.ownerId;
  if (found === null || !isIn) throw notFound('comment');
  return found;
}

function findReply({ replies }: Comment, replyId: string): Reply {
  const found = replies.find(({ id }) => id === replyId);
  if (found === undefined) throw notFound('reply');
  return found;
}

function tooManyComments(): DropError {
  const { openPerDrop, heldPerDrop } = commentLimits;
  const message = `The page has the maximum of ${openPerDrop} open comments, or of ${heldPerDrop} that wait for its owner: resolve or delete some first.`;
  return capReached(message, openPerDrop);
}

function tooManyReplies(): DropError {
  const message = `A comment has at most ${commentLimits.replies} replies: write a new comment.`;
  return capReached(message, commentLimits.replies);
}

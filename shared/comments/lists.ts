import type { Caller } from '../accounts/account.ts';
import { notFound, unavailable } from '../domain/errors.ts';
import type { Page } from '../drops/drop.ts';
import type { DropStore } from '../drops/drop-store.ts';
import type { ListsAtOnce } from '../limits/lists-at-once.ts';
import type { Visitor } from '../limits/visitor.ts';
import { createKeyedQueue, createTimeSlices } from '../util/queues.ts';
import { isVisible, tokenIdOf } from './authors.ts';
import { type Author, bytesOf, type Comment, type CommentState } from './comment.ts';
import {
  type CommentPart,
  type CommentQuery,
  type CommentStore,
  type FoundThreads,
  keyOfAuthor,
  type ListedComment,
} from './comment-store.ts';
import { decidingClaims } from './sides.ts';
import { besideText } from './thread.ts';
import type { Waiter, Waiting } from './waiting.ts';

/** Full answers of a token's own changes that a request which waits leaves out. Then it is answered with nothing and a later cursor. */
const ownPartsAtMost = 10;
/** Requests that wait for a change, and are woken by it at once: more of an account than wait are never told to. */
const wokenAtMost = 1_000;
/** A page shows so many threads, of each the first text and the last replies, and so many bytes: people read no more at once. */
const threadsOfPage = 50;
const lastReplies = 3;
const bytesOfPage = 128 * 1024;

export interface CommentFilter {
  /** null: of all drops. */
  readonly slug: string | null;
  readonly states: readonly CommentState[];
  /** The cursor of an earlier answer: only later changes. null: all. */
  readonly after: number | null;
  readonly limit: number;
}

/** Oldest change first. */
export interface CommentPage {
  readonly comments: readonly Comment[];
  /** The cursor for what comes later. */
  readonly next: number;
  /** Whether there may be more now. */
  readonly hasMore: boolean;
}

/** Of a page: `all`: open ones, then resolved ones. `mine`: those that the reader began. */
export const threadFilters = ['all', 'open', 'mine', 'resolved'] as const;

export type ThreadFilter = (typeof threadFilters)[number];

/** Newest change first. */
export interface ThreadPage {
  readonly threads: readonly ListedComment[];
  /** For `before`; null: there are no older ones. */
  readonly next: number | null;
}

/** null: it was not asked for. */
export interface ThreadPages {
  readonly open: ThreadPage | null;
  readonly resolved: ThreadPage | null;
  readonly mine: ThreadPage | null;
}

/** What is left of a page. */
interface Room {
  threads: number;
  bytes: number;
}

/** Lists of comments: for the owner's programs, for the dashboard, and for readers of a page. */
export function createCommentLists(deps: {
  comments: CommentStore;
  drops: Pick<DropStore, 'find'>;
  runList: ListsAtOnce;
  waiting: Waiting;
  followUps: { enqueueRender(dropId: string, versionId: string): void };
}) {
  const { comments: store, drops, runList, waiting } = deps;
  const reads = decidingClaims(store, deps.followUps.enqueueRender);
  const turns = createTimeSlices();
  const woken = createKeyedQueue(1, wokenAtMost);

  /** One at a time of an account, beside its other lists. */
  async function runWoken<T extends object>(ownerId: string, list: () => Promise<T>): Promise<T> {
    const listed = await woken.run(ownerId, list);
    if (listed === undefined) throw unavailable('Too many requests of this account wait for comments.');
    return listed;
  }

  /** To read and to present are two parts: other requests come between them. */
  async function readPart(ownerId: string, query: CommentQuery): Promise<CommentPart> {
    await turns.next();
    const part = await reads.list(ownerId, query);
    await turns.next();
    return part;
  }

  async function list(
    caller: Caller,
    { slug, states, after, limit }: CommentFilter,
    newsFor?: string | null,
  ): Promise<CommentPage> {
    const run = newsFor === undefined ? runList : runWoken;
    const { ownerId } = caller;
    const drop = slug === null ? null : await drops.find(ownerId, slug);
    if (slug !== null && drop === null) throw notFound('drop');
    const dropId = drop?.id ?? null;
    const lastSeq = after ?? (await store.lastSeq(ownerId));
    const news = newsFor !== undefined && after !== null && { newsFor };
    const query = { dropId, states, after: after ?? 0, limit, ...news };
    const { comments, last, hasMore } = await run(ownerId, () => readPart(ownerId, query));
    return { comments, hasMore, next: hasMore ? (last ?? lastSeq) : Math.max(lastSeq, last ?? 0) };
  }

  /** Threads until the room is used up; at least one, if there is any and nothing was shown before. */
  async function readPage(
    ownerId: string,
    query: CommentQuery & { readonly before: number },
    room: Room,
  ): Promise<ThreadPage> {
    const threads: ListedComment[] = [];
    let before: number | null = query.before;
    let left: FoundThreads | null = null;
    while (room.threads > 0 && before !== null) {
      const found = left !== null && { found: left };
      const part: CommentPart = await readPart(ownerId, { ...query, before, limit: room.threads, ...found });
      for (const thread of part.comments) {
        const bytes = shownBytes(thread);
        const isFull = bytes > room.bytes && room.bytes < bytesOfPage;
        if (isFull) return { threads, next: Math.min(before, threads.at(-1)?.seq ?? before) };
        threads.push(thread);
        room.threads -= 1;
        room.bytes -= bytes;
      }
      before = part.hasMore ? part.last : null;
      left = part.left;
    }
    return { threads, next: threads.length === 0 ? null : before };
  }

  const newRoom = (): Room => ({ threads: threadsOfPage, bytes: bytesOfPage });

  return {
    list,

    /**
     * As `list` after a cursor, but without what the same token has changed; if there is nothing, it waits for a change, at most
     * `ms`.
     */
    async listOrWait(
      caller: Caller,
      filter: CommentFilter,
      ms: number,
      waiter: Waiter,
    ): Promise<CommentPage> {
      const end = performance.now() + ms;
      const own = tokenIdOf(caller);
      let parts = 0;
      for (let { after } = filter; ; ) {
        const found = await list(caller, { ...filter, after }, own);
        after = found.next;
        if (found.hasMore) parts += 1;
        if (found.comments.length > 0 || parts === ownPartsAtMost) return found;
        if (found.hasMore) continue; // all of it was the token's own
        const left = end - performance.now();
        const isChanged =
          left > 0 && (await waiting.wait(caller.ownerId, own ?? caller.accountId, left, waiter));
        if (!isChanged) return found;
      }
    },

    /** Of all drops of the account. @param before a `seq` */
    listNewest: (caller: Caller, states: readonly CommentState[], before: number): Promise<ThreadPage> =>
      runList(caller.ownerId, () =>
        readPage(
          caller.ownerId,
          { dropId: null, states, after: 0, before, limit: 0, lastReplies },
          newRoom(),
        ),
      ),

    /** The threads of a page that the person may read. @param before a `seq`; null: the newest */
    listOfPage(
      { dropId, ownerId }: Page,
      reader: Author,
      { filter, before }: { readonly filter: ThreadFilter; readonly before: number | null },
      visitor: Visitor,
    ): Promise<ThreadPages> {
      const room = newRoom();
      const key = keyOfAuthor(reader);
      const read = async (states: readonly CommentState[], more: Partial<CommentQuery> = {}) => {
        const newest = before ?? Number.MAX_SAFE_INTEGER;
        const query = { dropId, states, after: 0, limit: 0, lastReplies, ...more, before: newest };
        const { threads, next } = await readPage(ownerId, query, room);
        return { threads: threads.filter((thread) => isVisible(thread, reader)), next };
      };
      const heldBy = reader.role === 'owner' ? {} : { heldBy: key };
      const none = { threads: [], next: null };
      const readMine = async () => (key === null ? none : read(['held', 'open', 'resolved'], { by: key }));
      const isAsked = (list: ThreadFilter) => filter === list || (filter === 'all' && list !== 'mine');
      return runList(reader.role === 'owner' ? ownerId : visitor.address, async () => {
        const open = isAsked('open') ? await read(['held', 'open'], heldBy) : null;
        const hasRoom = open === null || open.next === null;
        return {
          open,
          resolved: isAsked('resolved') && hasRoom ? await read(['resolved']) : null,
          mine: isAsked('mine') ? await readMine() : null,
        };
      });
    },
  };
}

function shownBytes({ text, replies, anchor }: ListedComment): number {
  const words = [text, anchor?.quote ?? '', ...replies.map((reply) => reply.text)];
  return words.reduce((sum, each) => sum + bytesOf(each) + besideText, 0);
}

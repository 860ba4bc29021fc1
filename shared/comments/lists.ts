import type { Caller } from '../accounts/account.ts';
import { notFound, unavailable } from '../domain/errors.ts';
import type { Page } from '../drops/drop.ts';
import type { DropStore } from '../drops/drop-store.ts';
import type { ListsAtOnce } from '../limits/lists-at-once.ts';
import type { Visitor } from '../limits/visitor.ts';
import { KeyedQueue } from '../util/keyed-queue.ts';
import { TimeSlices } from '../util/time-slices.ts';
import { callerTokenId, isVisible } from './authors.ts';
import { type Author, type Comment, type CommentState, commentStates } from './comment.ts';
import { type CommentPart, type CommentQuery, type CommentStore, keyOfAuthor } from './comment-store.ts';
import { enqueueUndecided } from './sides.ts';
import { lastReplies, newPageBudget, readThreadPage, type ThreadPage } from './thread-pages.ts';
import type { Waiter, Waiting } from './waiting.ts';

/** Full answers of a token's own changes that a request which waits leaves out. Then it is answered with nothing and a later cursor. */
const ownPartsAtMost = 10;
/** Reads of an account that may queue for requests that wait for comments: as many as may wait in a process (waiting.ts). */
const wokenAtMost = 1_000;

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

/** Of a page. `open`: with those that are held. `mine`: those that the reader began, in every state. */
export const threadFilters = ['open', 'mine', 'resolved'] as const;

export type ThreadFilter = (typeof threadFilters)[number];

/** How many threads of a page the reader may read. */
export type ThreadCounts = Readonly<Record<ThreadFilter, number>>;

export interface ListDeps {
  readonly comments: CommentStore;
  readonly drops: Pick<DropStore, 'find'>;
  readonly runList: ListsAtOnce;
  readonly waiting: Waiting;
  readonly sideEffects: { enqueueVersionJob(dropId: string, versionId: string): void };
}

/** Lists of comments: for the owner's programs, for the dashboard, and for readers of a page. */
export class CommentLists {
  readonly #store: Pick<CommentStore, 'list' | 'lastSeq' | 'countThreads'>;
  readonly #drops: ListDeps['drops'];
  readonly #runList: ListsAtOnce;
  readonly #waiting: Waiting;
  readonly #sideEffects: ListDeps['sideEffects'];
  readonly #slices = new TimeSlices();
  readonly #woken = new KeyedQueue(1, wokenAtMost);

  constructor({ comments, drops, runList, waiting, sideEffects }: ListDeps) {
    this.#store = comments;
    this.#drops = drops;
    this.#runList = runList;
    this.#waiting = waiting;
    this.#sideEffects = sideEffects;
  }

  async list(caller: Caller, filter: CommentFilter): Promise<CommentPage> {
    return this.#list(caller, filter, this.#runList, {});
  }

  /** As `list` after a cursor, but without what the same token has changed; if there is nothing, it waits for a change, at most `ms`. */
  async listOrWait(caller: Caller, filter: CommentFilter, ms: number, waiter: Waiter): Promise<CommentPage> {
    const end = performance.now() + ms;
    const own = callerTokenId(caller);
    let { after } = filter;
    let parts = 0;
    for (;;) {
      const found = await this.#listNews(caller, { ...filter, after }, own);
      after = found.next;
      if (found.hasMore) parts += 1;
      if (found.comments.length > 0 || parts === ownPartsAtMost) return found;
      if (found.hasMore) continue; // all of it was the token's own
      const left = end - performance.now();
      if (left <= 0) return found;
      const isChanged = await this.#waiting.wait(caller.accountId, own ?? caller.accountId, left, waiter);
      if (!isChanged) return found;
    }
  }

  /** Of all drops of the account. @param before a `seq` */
  listNewest({ accountId }: Caller, states: readonly CommentState[], before: number): Promise<ThreadPage> {
    const query = { dropId: null, states, after: 0, before, lastReplies };
    return this.#runList(accountId, () =>
      readThreadPage(this.#partReader(accountId), query, newPageBudget()),
    );
  }

  /** The threads of a page that the person may read. @param before a `seq`; null: the newest */
  listOfPage(
    page: Page,
    reader: Author,
    { filter, before }: { readonly filter: ThreadFilter; readonly before: number | null },
    visitor: Visitor,
  ): Promise<ThreadPage> {
    const key = reader.role === 'owner' ? page.ownerId : visitor.address;
    const newest = before ?? Number.MAX_SAFE_INTEGER;
    return this.#runList(key, () => this.#readPage(page, reader, filter, newest));
  }

  /** How many threads each filter of `listOfPage` has. */
  async countOfPage(page: Page, reader: Author): Promise<ThreadCounts> {
    const [open, mine, resolved] = await Promise.all([
      this.countOpen(page, reader),
      this.#countOwn(page, reader, commentStates),
      this.#store.countThreads(page.dropId, ['resolved'], null),
    ]);
    return { open, mine, resolved };
  }

  /** How many its filter `open` has. */
  async countOpen(page: Page, reader: Author): Promise<number> {
    if (reader.role === 'owner') return this.#store.countThreads(page.dropId, ['open', 'held'], null);
    const [open, held] = await Promise.all([
      this.#store.countThreads(page.dropId, ['open'], null),
      this.#countOwn(page, reader, ['held']),
    ]);
    return open + held;
  }

  async #countOwn({ dropId }: Page, reader: Author, states: readonly CommentState[]): Promise<number> {
    const key = keyOfAuthor(reader);
    return key === null ? 0 : this.#store.countThreads(dropId, states, key);
  }

  async #list(
    { accountId: ownerId }: Caller,
    { slug, states, after, limit }: CommentFilter,
    run: ListsAtOnce,
    news: Pick<CommentQuery, 'newsFor'>,
  ): Promise<CommentPage> {
    const dropId = slug === null ? null : await this.#idOf(ownerId, slug);
    const lastSeq = after ?? (await this.#store.lastSeq(ownerId));
    const query = { dropId, states, after: after ?? 0, limit, ...news };
    const { comments, last, hasMore } = await run(ownerId, () => this.#readPart(ownerId, query));
    return { comments, hasMore, next: hasMore ? (last ?? lastSeq) : Math.max(lastSeq, last ?? 0) };
  }

  /** One at a time of an account, beside its other lists. @param newsFor a token; null: a browser */
  #listNews(caller: Caller, filter: CommentFilter, newsFor: string | null): Promise<CommentPage> {
    const news = filter.after === null ? {} : { newsFor };
    const run: ListsAtOnce = async (ownerId, list) => {
      const listed = await this.#woken.run(ownerId, list);
      if (listed === undefined) throw unavailable('Too many requests of this account wait for comments.');
      return listed;
    };
    return this.#list(caller, filter, run, news);
  }

  /** @throws DropError `not_found` */
  async #idOf(ownerId: string, slug: string): Promise<string> {
    const drop = await this.#drops.find(ownerId, slug);
    if (drop === null) throw notFound('drop');
    return drop.id;
  }

  async #readPage(page: Page, reader: Author, filter: ThreadFilter, before: number): Promise<ThreadPage> {
    const listed = threadsOf(filter, reader);
    if (listed === null) return { threads: [], next: null };
    const query = { dropId: page.dropId, after: 0, before, lastReplies, ...listed };
    const { threads, next } = await readThreadPage(this.#partReader(page.ownerId), query, newPageBudget());
    return { threads: threads.filter((thread) => isVisible(thread, reader)), next };
  }

  #partReader(ownerId: string): (query: CommentQuery) => Promise<CommentPart> {
    return (query) => this.#readPart(ownerId, query);
  }

  /** To read and to present are two parts: other requests come between them. */
  async #readPart(ownerId: string, query: CommentQuery): Promise<CommentPart> {
    await this.#slices.next();
    const part = await this.#store.list(ownerId, query);
    enqueueUndecided(part.comments, (dropId, versionId) =>
      this.#sideEffects.enqueueVersionJob(dropId, versionId),
    );
    await this.#slices.next();
    return part;
  }
}

/** null: the reader has written nothing. */
function threadsOf(
  filter: ThreadFilter,
  reader: Author,
): Pick<CommentQuery, 'states' | 'by' | 'heldBy'> | null {
  const key = keyOfAuthor(reader);
  switch (filter) {
    case 'open':
      return { states: ['held', 'open'], ...(reader.role !== 'owner' && { heldBy: key }) };
    case 'mine':
      return key && { states: commentStates, by: key };
    case 'resolved':
      return { states: ['resolved'] };
  }
}

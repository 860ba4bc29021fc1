import type { BlobIds } from '../blobs/blob-store.ts';
import type {
  Anchor,
  Author,
  Comment,
  CommentState,
  Mark,
  Reply,
  Sizes,
  Thread,
  UnnumberedComment,
} from './comment.ts';

export interface CommentQuery {
  /** null: of all drops of the owner. */
  readonly dropId: string | null;
  readonly states: readonly CommentState[];
  /** Only comments with a higher `seq`. 0: all. */
  readonly after: number;
  /** Only comments with a lower `seq`, the highest first. Absent: all, the lowest first. */
  readonly before?: number;
  readonly limit: number;
  /** Only threads that they began; needs `dropId`. */
  readonly by?: AuthorKey;
  /** Of the held threads only those that they began; needs `dropId`. null: none. */
  readonly heldBy?: AuthorKey | null;
  /** Only the last replies. Absent: all. */
  readonly lastReplies?: number;
  /** Without threads that only this token has changed since `after`. */
  readonly newsFor?: string | null;
  /** What an earlier part of the query has left. Absent: it is looked for. */
  readonly found?: FoundThreads;
}

/** What an index has found of a query, in its order. */
export interface FoundThreads {
  readonly entries: readonly (Pick<Thread, 'id' | 'seq' | 'updatedBy' | 'otherSeq'> & Sizes)[];
  /** Whether there may be more behind them. */
  readonly isFull: boolean;
}

/** Which threads of a drop a job reads. */
export interface ThreadQuery extends Pick<CommentQuery, 'states' | 'after' | 'limit'> {
  readonly dropId: string;
}

/** What `noteSides` changes of an anchor: it keeps prefix and suffix, or loses both. */
export interface NotedSides {
  readonly areFound: boolean;
  readonly standing: Anchor['standing'];
  readonly context: Anchor['context'];
}

/** The account, or the hash of a guest's secret. */
export type AuthorKey = { readonly accountId: string } | { readonly guest: string };

/** null: a guest without a secret has written nothing. */
export function keyOfAuthor({ accountId, guest }: Pick<Author, 'accountId' | 'guest'>): AuthorKey | null {
  if (accountId !== null) return { accountId };
  return guest === null ? null : { guest };
}

export interface CommentPart {
  readonly comments: readonly ListedComment[];
  /** The `seq` of the last thread that was looked at; null: there was none. */
  readonly last: number | null;
  /** Whether there may be more behind it. */
  readonly hasMore: boolean;
  /** Those behind it that were found, but not looked at. null: there are none. */
  readonly left: FoundThreads | null;
}

/** With `lastReplies` it may lack replies. */
export interface ListedComment extends Comment {
  /** How many it has. */
  readonly replyCount: number;
}

export type CommentCaps = {
  readonly [N in
    | 'replies'
    | 'resolving'
    | 'threadBytes'
    | 'openPerDrop'
    | 'heldPerDrop'
    | 'threadsPerDrop'
    | 'accountBytes']: number;
};

/** The bound that refuses a change: see `CommentCaps`. `marks`: `resolving`. */
export type FullBound = 'replies' | 'marks' | 'thread' | 'open' | 'held' | 'drop' | 'account';

/** What changes of a thread. */
export interface CommentChange {
  /** The new values; what is absent stays. */
  readonly fields: Partial<Pick<Comment, 'state' | 'text' | 'resolvedBy'>> &
    Pick<Comment, 'updatedAt' | 'updatedBy' | 'otherSeq'>;
  readonly added?: readonly Reply[];
  /** `at`: its place among the replies. */
  readonly edited?: { readonly at: number; readonly id: string; readonly text: string };
  /** The id of a reply. */
  readonly removed?: string;
  /** The versions of the marks that have become true. */
  readonly settled?: readonly string[];
  /** By how much they change. Replies that were reserved count already. */
  readonly sizes: Sizes;
}

/** How many threads of a drop are open, and how many held. */
export interface CommentCounts {
  readonly open: number;
  readonly held: number;
}

/** How many threads an owner has. */
export type StateCounts = Readonly<Record<CommentState, number>>;

/** What waits for an owner. */
export interface InboxCounts {
  /** Held threads. */
  readonly held: number;
  /** Open threads that a reader has changed last, since the owner's last look: how many, by drop id. */
  readonly news: ReadonlyMap<string, number>;
}

/** What a change needs to know of its thread. */
export type ReadThread = Pick<Thread, 'id' | 'ownerId' | 'dropId' | 'state' | 'seq'>;

/**
 * Comments on versions of drops, by the owner of the drop. Each method that changes a comment is one atomic update, which gives it
 * the owner's next number (`nextSeq`). Numbers are given in the order in which changes can be read: a reader who has read up to
 * a number misses no later change. No bound is passed by parallel calls; data above a bound may be read, reduced and deleted.
 * A call reads one thread, or texts of at most 256 KiB (`thread.ts`).
 */
export interface CommentStore {
  /** A repeat with the same id changes nothing, and returns the comment as it is. */
  insert(comment: UnnumberedComment, now: number, caps: CommentCaps): Promise<Comment | FullBound>;

  /** null: no such comment. */
  find(id: string): Promise<Comment | null>;

  /** null: no such comment. Reads no text. */
  findThread(id: string): Promise<Thread | null>;

  /** By an index that has the states: other threads are not touched, and texts are read of those alone that are returned. */
  list(ownerId: string, query: CommentQuery): Promise<CommentPart>;

  /** Of one drop, the lowest `seq` first, without texts. */
  listThreads(ownerId: string, query: ThreadQuery): Promise<Thread[]>;

  /** The highest `seq` of the owner's comments; 0: there are none. */
  lastSeq(ownerId: string): Promise<number>;

  /**
   * By indexes alone, whatever else there is. @param seen the owner has looked at what has no higher `seq`
   * @param atMost how many held threads are counted, and how many news: the latest
   */
  countInbox(ownerId: string, seen: number, atMost: number): Promise<InboxCounts>;

  /** By an index alone. @param atMost how many threads of each state are counted */
  countStates(ownerId: string, atMost: number): Promise<StateCounts>;

  /**
   * Changes the thread, if nobody has changed it since it was read. Opening one obeys `openPerDrop`.
   * @returns its new number; null: it was changed or deleted
   */
  change(
    read: ReadThread,
    change: CommentChange,
    now: number,
    caps: CommentCaps,
  ): Promise<number | FullBound | null>;

  /**
   * Adds the mark unless the thread has one of its version, and reserves room for its reply. It is no change for a program that
   * waits: `seq` stays. MongoDB: parallel marks may pass `accountBytes` by their replies.
   * @returns `known`: it has one; null: no such comment
   */
  mark(id: string, mark: Mark, caps: CommentCaps): Promise<'marked' | 'known' | FullBound | null>;

  /** Removes the mark, if it is there, and what it has reserved. `seq` stays. */
  unmark(id: string, mark: Mark): Promise<void>;

  /** The ids of the threads of a drop that have marks. */
  listMarked(dropId: string): Promise<string[]>;

  /**
   * Sets it, and `changedTo` of the anchors. Changes nothing else, and not `seq`: it is no change for a program that waits. Not atomic.
   * Ignores comments without an anchor.
   */
  setInLatest(
    ids: readonly string[],
    place: Comment['inLatest'],
    changedTo: Anchor['changedTo'],
  ): Promise<void>;

  /** Sets `sides` of the anchors to `found`. Otherwise as `setInLatest`. */
  noteSides(ids: readonly string[], sides: NotedSides): Promise<void>;

  /** Resolves when what was read before is on the disk: an answer that rests on a read alone promises it, too. */
  confirm(): Promise<void>;

  /** false: no such comment. */
  remove(id: string): Promise<boolean>;

  /** Only drops that have any. */
  countByDrop(dropIds: readonly string[]): Promise<Map<string, CommentCounts>>;

  /** How many threads of a drop are in these states. By an index, which has the author. @param by who began them; null: all */
  countThreads(dropId: string, states: readonly CommentState[], by: AuthorKey | null): Promise<number>;

  /** The owners of whose comments some have a higher `seq`. By an index. */
  ownersAfter(seq: number): Promise<string[]>;

  /** Deletes the comments on versions. */
  readonly delete: BlobIds['delete'];
  /** Lists the ids of versions that have comments. */
  readonly listIds: BlobIds['listIds'];
}

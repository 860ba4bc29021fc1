import type { BlobIds } from '../blobs/blob-store.ts';
import type { Comment, CommentState, UnnumberedComment } from './comment.ts';

export interface CommentQuery {
  /** null: of all drops of the owner. */
  readonly dropId: string | null;
  readonly states: readonly CommentState[];
  /** Only comments with a higher `seq`. 0: all. */
  readonly after: number;
  /** Only comments with a lower `seq`, the highest first. Absent: all, the lowest first. */
  readonly before?: number;
  readonly limit: number;
}

/** What `noteSides` changes of an anchor. */
export const foundSides = { sides: 'found' } as const;
export const noSides = { sides: 'found', prefix: '', suffix: '' } as const;

export interface CommentCaps {
  readonly openPerDrop: number;
  readonly heldPerDrop: number;
}

/** How many threads of a drop are open, and how many held. */
export interface CommentCounts {
  readonly open: number;
  readonly held: number;
}

/**
 * Comments on versions of drops, by the owner of the drop. Each method that changes a comment is one atomic update, which gives it
 * the owner's next number (`nextSeq`). Numbers are given in the order in which changes can be read: a reader who has read up to
 * a number misses no later change.
 */
export interface CommentStore {
  /**
   * `null`: the drop has as many open, or held, comments as the caps say; parallel calls never pass them. A repeat with the
   * same id changes nothing, and returns the comment as it is.
   */
  insert(comment: UnnumberedComment, now: number, caps: CommentCaps): Promise<Comment | null>;

  /** null: no such comment. */
  find(id: string): Promise<Comment | null>;

  /** By an index. */
  list(ownerId: string, query: CommentQuery): Promise<Comment[]>;

  /** The highest `seq` of the owner's comments; 0: there are none. */
  lastSeq(ownerId: string): Promise<number>;

  /** Replaces the comment, if nobody has changed it since it was read. @returns it with its new number; null: it was changed or deleted */
  replace(read: Comment, next: UnnumberedComment, now: number): Promise<Comment | null>;

  /** Changes nothing else, and not `seq`: it is no change for a program that waits. A parallel `replace` may undo it. Not atomic. */
  setInLatest(ids: readonly string[], place: Comment['inLatest']): Promise<void>;

  /** Keeps prefix and suffix of the anchors, or removes both. Otherwise as `setInLatest`. Ignores comments without an anchor. */
  noteSides(ids: readonly string[], areFound: boolean): Promise<void>;

  /** false: no such comment. */
  remove(id: string): Promise<boolean>;

  /** Only drops that have any. */
  countByDrop(dropIds: readonly string[]): Promise<Map<string, CommentCounts>>;

  /** The owners of whose comments some have a higher `seq`. By an index. */
  ownersAfter(seq: number): Promise<string[]>;

  /** Deletes the comments on versions. */
  readonly delete: BlobIds['delete'];
  /** Lists the ids of versions that have comments. */
  readonly listIds: BlobIds['listIds'];
}

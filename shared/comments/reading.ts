import { setImmediate } from 'node:timers/promises';
import type { Comment } from './comment.ts';
import type { CommentQuery, CommentStore } from './comment-store.ts';

/** What a list has beside each text, in characters: it has a bound for many short ones, too. */
const besideText = 1_000;
/** A list ends with the thread that reaches it: a thread alone has at most a million. */
const charactersAtMost = 1_000_000;
const threadsAtOnce = 10;

export interface CommentList {
  readonly comments: Comment[];
  /** Whether the store may have more. */
  readonly hasMore: boolean;
}

/** Reads a list in parts, because 500 threads can have more text than the memory. A thread that is changed meanwhile can be in two. */
export async function* readInParts(
  store: Pick<CommentStore, 'list'>,
  ownerId: string,
  query: CommentQuery,
): AsyncGenerator<Comment> {
  const bound = query.before === undefined ? 'after' : 'before';
  let { limit: left, [bound]: from } = query;
  while (left > 0) {
    const limit = Math.min(left, threadsAtOnce);
    const part = await store.list(ownerId, { ...query, [bound]: from, limit });
    await setImmediate(); // SQLite answers without a pause, and other requests must come between two parts
    yield* part;
    left = part.length < limit ? 0 : left - limit;
    from = part.at(-1)?.seq;
  }
}

/** At least one thread, if there is any, and no more than an answer can have. */
export async function readList(
  store: Pick<CommentStore, 'list'>,
  ownerId: string,
  query: CommentQuery,
): Promise<CommentList> {
  const comments: Comment[] = [];
  let characters = 0;
  for await (const comment of readInParts(store, ownerId, query)) {
    comments.push(comment);
    for (const { text } of [comment, ...comment.replies]) characters += text.length + besideText;
    if (characters >= charactersAtMost) return { comments, hasMore: true };
  }
  return { comments, hasMore: comments.length === query.limit };
}

import { type CommentState, isNewsFor, type Sizes, type Thread } from './comment.ts';
import type {
  CommentCaps,
  CommentChange,
  CommentPart,
  CommentQuery,
  FoundThreads,
  FullBound,
  ReadThread,
} from './comment-store.ts';

/** What one call of a store reads at most of texts, unless one thread alone has more. */
export const bytesAtOnce = 256 * 1024;
/** What each text has beside it, in bytes: author, time and ids. */
export const besideText = 256;

/** What the choice needs of a thread. */
export type Entry = FoundThreads['entries'][number];

/** In the order of the query, no more than it asks for. @param lists of its states, each in its order */
export function inOrder(lists: readonly (readonly Entry[])[], { before, limit }: CommentQuery): FoundThreads {
  const sign = before === undefined ? 1 : -1;
  const entries = lists
    .flat()
    .sort((a, b) => sign * (a.seq - b.seq))
    .slice(0, limit);
  return { entries, isFull: entries.length === limit };
}

/** What a part of a list has: of the first entries those that one answer may have, at least one, if there is any. */
export function chooseFitting(
  { entries, isFull }: FoundThreads,
  { newsFor, after, lastReplies = Number.POSITIVE_INFINITY }: CommentQuery,
): Omit<CommentPart, 'comments'> & { readonly chosen: readonly Entry[] } {
  const chosen: Entry[] = [];
  let read = 0;
  let last: number | null = null;
  for (const [n, entry] of entries.entries()) {
    const isNews = newsFor === undefined || isNewsFor(newsFor, entry, after);
    if (isNews) {
      read += entry.bytes + besideText * Math.min(entry.texts, 1 + lastReplies);
      if (chosen.length > 0 && read > bytesAtOnce)
        return { chosen, last, hasMore: true, left: { entries: entries.slice(n), isFull } };
      chosen.push(entry);
    }
    last = entry.seq;
  }
  return { chosen, last, hasMore: isFull, left: null };
}

/** Whose threads an index is asked for; null: those of all. undefined: no thread of this state is asked for. */
export function authorToAskFor({ by, heldBy }: CommentQuery, state: CommentState) {
  if (state !== 'held' || heldBy === undefined) return by ?? null;
  return heldBy ?? undefined;
}

/** The bound that a thread of these sizes reaches with more. Less is never refused. */
export function fullThread({ bytes, texts }: Sizes, more: Sizes, caps: CommentCaps): FullBound | null {
  if (more.texts > 0 && texts + more.texts > caps.replies + 1) return 'replies';
  return more.bytes > 0 && bytes + more.bytes > caps.threadBytes ? 'thread' : null;
}

/** Whether the drop gets one more open thread. */
export function opens(read: ReadThread, { fields }: CommentChange): boolean {
  return read.state === 'resolved' && fields.state !== undefined && fields.state !== 'resolved';
}

/** Those that are stored: `texts` counts what is reserved, too. */
export function replyCountOf({ texts, resolving }: Pick<Thread, 'texts' | 'resolving'>): number {
  return texts - 1 - resolving.filter(({ reply }) => reply !== null).length;
}

import { type CommentState, isNewsFor, type Sizes, type Thread } from './comment.ts';
import type { CommentCaps, CommentChange, CommentQuery, FullBound, ReadThread } from './comment-store.ts';

/** What one call of a store reads at most of texts, unless one thread alone has more. */
export const bytesAtOnce = 256 * 1024;
/** What each text has beside it, in bytes: author, time and ids. */
export const besideText = 256;

/** What the choice needs of a thread. */
export type Entry = Pick<Thread, 'seq' | 'bytes' | 'texts' | 'updatedBy' | 'otherSeq'>;

/** In the order of the query, no more than it asks for. @param lists of its states, each in its order */
export function inOrder<E extends Pick<Entry, 'seq'>>(lists: readonly E[][], query: CommentQuery): E[] {
  const sign = query.before === undefined ? 1 : -1;
  return lists
    .flat()
    .sort((a, b) => sign * (a.seq - b.seq))
    .slice(0, query.limit);
}

/** Of the first entries of a list those that one answer may have: at least one, if there is any. */
export function chooseFitting<E extends Entry>(
  entries: readonly E[],
  { newsFor, after, limit, lastReplies = Number.POSITIVE_INFINITY }: CommentQuery,
): { readonly chosen: E[]; readonly last: number | null; readonly hasMore: boolean } {
  const chosen: E[] = [];
  let read = 0;
  let last: number | null = null;
  for (const entry of entries) {
    const isNews = newsFor === undefined || isNewsFor(newsFor, entry, after);
    if (isNews) {
      read += entry.bytes + besideText * Math.min(entry.texts, 1 + lastReplies);
      if (chosen.length > 0 && read > bytesAtOnce) return { chosen, last, hasMore: true };
      chosen.push(entry);
    }
    last = entry.seq;
  }
  return { chosen, last, hasMore: entries.length === limit };
}

/** Whether an index must be asked for an author. undefined: no thread of this state is asked for. */
export function authorFor({ by, heldBy }: CommentQuery, state: CommentState) {
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

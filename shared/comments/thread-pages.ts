import { bytesOf } from './comment.ts';
import type { CommentPart, CommentQuery, FoundThreads, ListedComment } from './comment-store.ts';
import { besideText } from './thread.ts';

/** A page shows so many threads, of each the first text and the last replies, and so many bytes: people read no more at once. */
const threadsOfPage = 50;
export const lastReplies = 3;
const bytesOfPage = 128 * 1024;

/** Newest change first. */
export interface ThreadPage {
  readonly threads: readonly ListedComment[];
  /** For `before`; null: there are no older ones. */
  readonly next: number | null;
}

/** What is left of a page, which may show several lists. */
export interface PageBudget {
  threads: number;
  bytes: number;
}

export function newPageBudget(): PageBudget {
  return { threads: threadsOfPage, bytes: bytesOfPage };
}

/** Threads until the budget is used up; at least one, if there is any and nothing was shown before. */
export async function readThreadPage(
  read: (query: CommentQuery) => Promise<CommentPart>,
  query: Omit<CommentQuery, 'limit'> & { readonly before: number },
  budget: PageBudget,
): Promise<ThreadPage> {
  const threads: ListedComment[] = [];
  let before: number | null = query.before;
  let left: FoundThreads | null = null;
  while (budget.threads > 0 && before !== null) {
    const found = left !== null && { found: left };
    const part: CommentPart = await read({ ...query, before, limit: budget.threads, ...found });
    for (const thread of part.comments) {
      const bytes = shownBytes(thread);
      const isFull = bytes > budget.bytes && budget.bytes < bytesOfPage;
      if (isFull) return { threads, next: Math.min(before, threads.at(-1)?.seq ?? before) };
      threads.push(thread);
      budget.threads -= 1;
      budget.bytes -= bytes;
    }
    before = part.hasMore ? part.last : null;
    left = part.left;
  }
  return { threads, next: threads.length === 0 ? null : before };
}

function shownBytes({ text, replies, anchor }: ListedComment): number {
  const words = [text, anchor?.quote ?? '', anchor?.changedTo ?? '', ...replies.map((reply) => reply.text)];
  return words.reduce((sum, each) => sum + bytesOf(each) + besideText, 0);
}

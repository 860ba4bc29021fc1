import type { DropError } from '../domain/errors.ts';
import { unavailable } from '../domain/errors.ts';
import { capReached } from '../limits/limits.ts';
import { commentLimits } from './comment.ts';
import type { FullBound } from './comment-store.ts';

const mib = 1024 * 1024;
const kib = 1024;

/** Says what to delete, or what else to do. */
export function boundReached(bound: FullBound): DropError {
  const { replies, openPerDrop, heldPerDrop, threadsPerDrop, threadBytes, accountBytes } = commentLimits;
  switch (bound) {
    case 'replies':
      return capReached(`A comment has at most ${replies} replies: write a new comment.`, replies);
    case 'thread':
      return capReached(
        `The texts of a comment and its replies have at most ${threadBytes / kib} KiB: write a new comment, or delete replies.`,
        threadBytes,
      );
    case 'open':
      return capReached(
        `The page has the maximum of ${openPerDrop} open comments: resolve or delete some first.`,
        openPerDrop,
      );
    case 'held':
      return capReached(
        `The page has the maximum of ${heldPerDrop} comments that wait for its owner, who must approve or delete some first.`,
        heldPerDrop,
      );
    case 'drop':
      return capReached(
        `The page has the maximum of ${threadsPerDrop} comments: delete resolved ones first.`,
        threadsPerDrop,
      );
    case 'account':
      return capReached(
        `The comments on the pages of this account have the maximum of ${accountBytes / mib} MiB: delete some first.`,
        accountBytes,
      );
    case 'marks':
      return unavailable('Too many versions that resolve this comment are on their way: try again.');
  }
}

import type { DropError } from '../domain/errors.ts';
import { unavailable } from '../domain/errors.ts';
import { capTable } from '../limits/limit-table.ts';
import { capReached } from '../limits/limits.ts';
import type { FullBound } from './comment-store.ts';

const caps = {
  replies: capTable.repliesOfComment,
  thread: capTable.bytesOfThread,
  open: capTable.openCommentsOfDrop,
  held: capTable.heldCommentsOfDrop,
  drop: capTable.commentsOfDrop,
  account: capTable.bytesOfComments,
} as const;

/** Says what to delete, or what else to do. */
export function boundReached(bound: FullBound): DropError {
  if (bound === 'marks')
    return unavailable('Too many versions that resolve this comment are on their way: try again.');
  return capReached(caps[bound], {});
}

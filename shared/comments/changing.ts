import type { Clock } from '../domain/clock.ts';
import { notFound, unavailable } from '../domain/errors.ts';
import { boundReached } from './bounds.ts';
import {
  type Comment,
  changedBy,
  commentLimits,
  type Reply,
  type Sizes,
  sizesOf,
  type Thread,
} from './comment.ts';
import type { CommentChange, CommentStore } from './comment-store.ts';

/** Each lost attempt means that a parallel call has changed the same comment. */
const attempts = 10;

/** What somebody changes of a comment. */
export interface ThreadChange extends Omit<CommentChange, 'sizes' | 'fields'> {
  readonly fields?: Partial<Pick<Comment, 'state' | 'text' | 'resolvedBy'>>;
}

interface Deps {
  readonly store: Pick<CommentStore, 'find' | 'findThread' | 'change' | 'confirm'>;
  readonly clock: Clock;
}

/**
 * Changes a comment as it is stored, also if others change it at the same time.
 * @param changer see `changerOf`
 * @param act gets null if there is none, and is called again after a parallel change; null: nothing is stored
 * @returns as it is stored then @throws what `act` throws, also for null; DropError `quota_exceeded`, `unavailable`
 */
export async function changeComment(
  { store, clock }: Deps,
  id: string,
  changer: string | null,
  act: (found: Comment | null) => { readonly comment: Comment; readonly act: ThreadChange | null },
): Promise<Comment> {
  return repeat(async () => {
    const { comment, act: done } = act(await store.find(id));
    if (done === null) {
      await store.confirm();
      return comment;
    }
    const fields = { ...done.fields, ...changedBy(comment, changer, clock.now()) };
    const next = applied(comment, done);
    const sizes = difference(sizesOf(next), sizesOf(comment));
    const seq = await changeOnce({ store, clock }, comment, { ...done, fields, sizes });
    return seq === null ? null : { ...next, ...fields, seq };
  });
}

/**
 * As `changeComment`, without its texts. @param act null: nothing is stored. What it adds must be reserved
 * @returns whether it was changed
 */
export async function changeThread(
  { store, clock }: Deps,
  id: string,
  act: (found: Thread) => { readonly act: ThreadChange; readonly changer: string | null } | null,
): Promise<boolean> {
  return repeat(async () => {
    const thread = await store.findThread(id);
    const done = thread && act(thread);
    if (thread === null || done === null) return false;
    const fields = { ...done.act.fields, ...changedBy(thread, done.changer, clock.now()) };
    const sizes = { bytes: 0, texts: 0 };
    const seq = await changeOnce({ store, clock }, thread, { ...done.act, fields, sizes });
    return seq === null ? null : true;
  });
}

/** The new text of the comment, or of one of its replies. @param fields what else changes */
export function editOf(
  { replies }: Comment,
  text: string,
  replyId: string | null,
  fields: ThreadChange['fields'],
): ThreadChange {
  if (replyId === null) return { fields: { ...fields, text } };
  const at = replies.findIndex((reply) => reply.id === replyId);
  return { fields: { ...fields }, edited: { at, id: replyId, text } };
}

export function hasReply({ replies }: Comment, id: string): boolean {
  return replies.some((reply) => reply.id === id);
}

/** @throws DropError `not_found` */
export function findReply({ replies }: Comment, replyId: string): Reply {
  const found = replies.find(({ id }) => id === replyId);
  if (found === undefined) throw notFound('reply');
  return found;
}

/** @param attempt null: a parallel call came between */
async function repeat<T>(attempt: () => Promise<T | null>): Promise<T> {
  for (let left = attempts; left > 0; left--) {
    const done = await attempt();
    if (done !== null) return done;
  }
  throw unavailable('Too many parallel changes of this comment. Nothing was stored.');
}

/** @returns its new number; null: it was changed or deleted since it was read */
async function changeOnce(
  { store, clock }: Deps,
  read: Comment | Thread,
  change: CommentChange,
): Promise<number | null> {
  const outcome = await store.change(read, change, clock.now(), commentLimits);
  if (typeof outcome === 'string') throw boundReached(outcome);
  return outcome;
}

function applied(comment: Comment, { fields, added = [], edited, removed }: ThreadChange): Comment {
  const replies = [...comment.replies, ...added]
    .filter(({ id }) => id !== removed)
    .map((reply) => (reply.id === edited?.id ? { ...reply, text: edited.text } : reply));
  return { ...comment, ...fields, replies };
}

function difference(next: Sizes, before: Sizes): Sizes {
  return { bytes: next.bytes - before.bytes, texts: next.texts - before.texts };
}

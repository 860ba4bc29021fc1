import type { QueryFilter, UpdateQuery } from 'mongoose';
import {
  type Comment,
  type CommentState,
  nextSeq,
  type Sizes,
  sizesOf,
  sizesOfMark,
  type Thread,
} from './comment.ts';
import type { CommentCaps, CommentChange, CommentStore, FullBound, ReadThread } from './comment-store.ts';
import { createOrder, type Head } from './mongo-order.ts';
import { type CommentDocument, type comments, toComment } from './mongo-schema.ts';
import { fullThread, opens } from './thread.ts';

const keptFollows = 20;

type Filter = QueryFilter<CommentDocument>;
type Fields = Readonly<Record<string, unknown>>;

interface Reads {
  readHead(ownerId: string): Promise<Head>;
  find(id: string): Promise<Comment | null>;
  findThread(id: string): Promise<Thread | null>;
  /** The threads of a drop in these states. */
  countIn(dropId: string, states: readonly CommentState[]): Promise<number>;
  /** For all attempts of a change. */
  readonly timeMs: number;
}

/** The methods of the store that write threads. Each one is one conditional update, after which nobody can pass a bound. */
export function createMongoCommentChanges(
  records: ReturnType<typeof comments.in>,
  { readHead, find, findThread, countIn, timeMs }: Reads,
): Pick<CommentStore, 'insert' | 'change' | 'mark' | 'unmark'> {
  const inOrder = createOrder(readHead, timeMs);

  /** The account's total with these bytes more; null: it would be above the bound. */
  async function totalWith(ownerId: string, { total }: Head, bytes: number, { accountBytes }: CommentCaps) {
    if (total !== null && (bytes <= 0 || total + bytes <= accountBytes)) return Math.max(0, total + bytes);
    const counted = await countBytes(ownerId);
    return bytes <= 0 || counted + bytes <= accountBytes ? Math.max(0, counted + bytes) : null;
  }

  /** By an index. The total that changes carry is too high after comments were deleted. */
  async function countBytes(ownerId: string): Promise<number> {
    const [found] = await records.model
      .aggregate<{ readonly bytes: number }>([
        { $match: { owner_id: ownerId } },
        { $group: { _id: null, bytes: { $sum: '$bytes' } } },
      ])
      .hint('comments_of_owner');
    return found?.bytes ?? 0;
  }

  /** A count for each bound, because a thread that changes its state between two counts may be in both, or in none. */
  async function fullDrop({ dropId, state }: Comment, caps: CommentCaps): Promise<FullBound | null> {
    const all = await countIn(dropId, ['open', 'held', 'resolved']);
    if (all >= caps.threadsPerDrop) return 'drop';
    const reaches = async (cap: number, states: readonly CommentState[]) =>
      all >= cap && (await countIn(dropId, states)) >= cap;
    if (state !== 'resolved' && (await reaches(caps.openPerDrop, ['open', 'held']))) return 'open';
    return state === 'held' && (await reaches(caps.heldPerDrop, ['held'])) ? 'held' : null;
  }

  async function hasNoPlace({ dropId }: ReadThread, caps: CommentCaps): Promise<boolean> {
    return (await countIn(dropId, ['open', 'held'])) >= caps.openPerDrop;
  }

  /** Why an update of the thread was refused. null: it was changed or deleted */
  async function whyNot(id: string, seq: number | null, more: Sizes, caps: CommentCaps) {
    const thread = await findThread(id);
    if (thread === null || (seq !== null && thread.seq !== seq)) return null;
    return fullThread(thread, more, caps);
  }

  return {
    insert: (comment, now, caps) =>
      inOrder<Comment | FullBound>(comment.ownerId, async (head) => {
        const sizes = sizesOf(comment);
        const numbered = { ...comment, seq: nextSeq(head.seq, now) };
        const total = await totalWith(comment.ownerId, head, sizes.bytes, caps);
        const full = total === null ? 'account' : await fullDrop(numbered, caps);
        if (full !== null) return (await find(comment.id)) ?? full;
        const stored = { ...numbered, ...sizes, follows: [head.seq], total };
        if (await records.insertUnlessTaken(stored, '_id_', 'comments_follows')) return toComment(stored);
        return (await find(comment.id)) ?? undefined;
      }),

    change: (read, change, now, caps) =>
      inOrder<number | FullBound | null>(read.ownerId, async (head) => {
        const { sizes } = change;
        const total = await totalWith(read.ownerId, head, addedBytes(change), caps);
        if (total === null) return 'account';
        if (opens(read, change) && (await hasNoPlace(read, caps))) return 'open';
        const seq = nextSeq(head.seq, now);
        const filter: Filter = { _id: read.id, seq: read.seq, ...room(sizes, caps) };
        const update = updateOf(change, { seq, total }, head);
        const done = await records.updateUnlessTaken(filter, update, 'comments_follows');
        if (done === 'taken') return undefined;
        return done ? seq : whyNot(read.id, read.seq, sizes, caps);
      }),

    async mark(id, mark, caps) {
      const thread = await findThread(id);
      if (thread === null) return null;
      const sizes = sizesOfMark(mark);
      const head = await readHead(thread.ownerId);
      if ((await totalWith(thread.ownerId, head, sizes.bytes, caps)) === null) return 'account';
      const isFree = {
        'resolving.versionId': { $ne: mark.versionId },
        [`resolving.${caps.resolving - 1}`]: { $exists: false },
      };
      const filter = { _id: id, ...isFree, ...room(sizes, caps) } as Filter; // proof: fields of the documents
      const update = { $push: { resolving: mark }, $inc: { ...sizes } };
      if (await records.update(filter, update)) return 'marked';
      const now = await findThread(id);
      if (now === null) return null;
      if (now.resolving.some(({ versionId }) => versionId === mark.versionId)) return 'known';
      return fullThread(now, sizes, caps) ?? 'marks';
    },

    async unmark(id, mark) {
      const { versionId } = mark;
      const { bytes, texts } = sizesOfMark(mark);
      const filter = { _id: id, 'resolving.versionId': versionId } as Filter; // proof: a field of marks
      await records.update(filter, {
        $pull: { resolving: { versionId } },
        $inc: { bytes: -bytes, texts: -texts },
      } as UpdateQuery<CommentDocument>); // proof: as above
    },
  };
}

/** With those of replies that were reserved: the account's total does not have them yet. */
function addedBytes({ sizes, settled, added = [] }: CommentChange): number {
  if (settled === undefined) return sizes.bytes;
  return added.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

/** The condition that the thread has room for more. */
function room({ bytes, texts }: Sizes, caps: CommentCaps): Fields {
  return {
    ...(bytes > 0 && { bytes: { $lte: caps.threadBytes - bytes } }),
    ...(texts > 0 && { texts: { $lte: caps.replies + 1 - texts } }),
  };
}

/** Names what changes, and no text beside that. */
function updateOf(
  { fields, sizes, added, edited, removed, settled }: CommentChange,
  chained: { readonly seq: number; readonly total: number },
  head: Head,
): UpdateQuery<CommentDocument> {
  const { state, text, resolvedBy, updatedAt, updatedBy, otherSeq } = fields;
  const set: Fields = {
    ...chained,
    ...{ updated_at: updatedAt, updated_by: updatedBy, other_seq: otherSeq },
    ...(state !== undefined && { state }),
    ...(text !== undefined && { text }),
    ...(resolvedBy !== undefined && { resolved_by: resolvedBy }),
    ...(edited !== undefined && { [`replies.${edited.at}.text`]: edited.text }),
  };
  const pull: Fields = {
    ...(removed !== undefined && { replies: { id: removed } }),
    ...(settled !== undefined && { resolving: { versionId: { $in: [...settled] } } }),
  };
  const push: Fields = {
    follows: { $each: [head.seq], $slice: -keptFollows },
    ...(added !== undefined && { replies: { $each: [...added] } }),
  };
  const hasPull = Object.keys(pull).length > 0;
  const update = { $set: set, $inc: { ...sizes }, $push: push, ...(hasPull && { $pull: pull }) };
  return update as UpdateQuery<CommentDocument>; // proof: fields of the documents
}

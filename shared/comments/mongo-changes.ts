import type { QueryFilter, UpdateQuery } from 'mongoose';
import type { Mark, Sizes } from './comment.ts';
import type { CommentCaps, CommentChange } from './comment-store.ts';
import type { CommentDocument } from './mongo-schema.ts';

const keptFollows = 20;

type Filter = QueryFilter<CommentDocument>;
type Update = UpdateQuery<CommentDocument>;
type Fields = Readonly<Record<string, unknown>>;

/** What a change gives the document beside what changes of the thread. */
interface Numbers {
  readonly seq: number;
  readonly total: number;
  /** The highest `seq` of the owner that the writer has read. */
  readonly follows: number;
}

/** With those of replies that were reserved: the account's total does not have them yet. */
export function addedBytes({ sizes, settled, added = [] }: CommentChange): number {
  if (settled === undefined) return sizes.bytes;
  return added.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

/** The thread as it was read, if it has room for what is added. */
export function changeable(
  { id, seq }: { readonly id: string; readonly seq: number },
  sizes: Sizes,
  caps: CommentCaps,
): Filter {
  return { _id: id, seq, ...room(sizes, caps) };
}

/** The thread, if it has no mark of that version, and room for one. */
export function markable(id: string, { versionId }: Mark, sizes: Sizes, caps: CommentCaps): Filter {
  const isFree = {
    'resolving.versionId': { $ne: versionId },
    [`resolving.${caps.resolving - 1}`]: { $exists: false },
  };
  return { _id: id, ...isFree, ...room(sizes, caps) } as Filter; // proof: fields of the documents
}

/** The thread, if it has a mark of that version. */
export function marked(id: string, { versionId }: Mark): Filter {
  return { _id: id, 'resolving.versionId': versionId } as Filter; // proof: a field of marks
}

export function removalOfMark({ versionId }: Mark, { bytes, texts }: Sizes): Update {
  const update = { $pull: { resolving: { versionId } }, $inc: { bytes: -bytes, texts: -texts } };
  return update as Update; // proof: fields of the documents
}

/** Names what changes, and no text beside that. */
export function updateOf(
  { fields, sizes, added, edited, removed, settled }: CommentChange,
  { seq, total, follows }: Numbers,
): Update {
  const { state, text, resolvedBy, updatedAt, updatedBy, otherSeq } = fields;
  const set: Fields = {
    seq,
    total,
    updated_at: updatedAt,
    updated_by: updatedBy,
    other_seq: otherSeq,
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
    follows: { $each: [follows], $slice: -keptFollows },
    ...(added !== undefined && { replies: { $each: [...added] } }),
  };
  const hasPull = Object.keys(pull).length > 0;
  const update = { $set: set, $inc: { ...sizes }, $push: push, ...(hasPull && { $pull: pull }) };
  return update as Update; // proof: fields of the documents
}

/** The condition that the thread has room for more. */
function room({ bytes, texts }: Sizes, caps: CommentCaps): Fields {
  return {
    ...(bytes > 0 && { bytes: { $lte: caps.threadBytes - bytes } }),
    ...(texts > 0 && { texts: { $lte: caps.replies + 1 - texts } }),
  };
}

import { field, orAbsent, type RecordOf, record, whole } from '../domain/record.ts';
import { collectionOf, type DocumentOf } from '../mongo/collection.ts';
import { type Comment, commentRecord, sizeFields } from './comment.ts';
import type { ListedComment } from './comment-store.ts';
import { replyCountOf } from './thread.ts';

/**
 * `follows` is the highest `seq` of the owner that the writer has read. It is unique by owner, so a change is refused if another
 * one came between: numbers are given in the order of the commits. A comment keeps those of its last changes, so that a writer
 * that has waited for long is refused, too. Absent in imported comments.
 */
const areNumbers = (value: unknown): value is readonly number[] => Array.isArray(value);
const follows = orAbsent(field('object', 'a list of numbers', areNumbers));
const isChained = { follows: { $exists: true } };

/**
 * `total`: at least the bytes of the owner's texts after the last change of this comment. What has a higher number was deleted
 * since, and what has a lower one was counted, so the highest number has a total that is never too low.
 */
export const storedRecord = record(commentRecord.name, {
  ...commentRecord.fields,
  ...sizeFields,
  follows,
  total: orAbsent(whole()),
});

const sizes = { bytes: 1, texts: 1, _id: 1 } as const;

export const comments = collectionOf(
  storedRecord,
  ['comments_owner', { owner_id: 1, seq: 1 }],
  ['comments_of_owner', { owner_id: 1, state: 1, seq: 1, ...sizes }],
  ['comments_of_drop', { drop_id: 1, state: 1, seq: 1, ...sizes }],
  ['comments_of_member', { drop_id: 1, 'author.accountId': 1, state: 1, seq: 1, ...sizes }],
  ['comments_of_guest', { drop_id: 1, 'author.guest': 1, state: 1, seq: 1, ...sizes }],
  ['comments_news', { owner_id: 1, state: 1, updated_by: 1, seq: 1, drop_id: 1 }],
  ['comments_marked', { drop_id: 1, 'resolving.versionId': 1 }],
  ['comments_version', { version_id: 1 }],
  ['comments_seq', { seq: 1, owner_id: 1 }],
  ['comments_follows', { owner_id: 1, follows: 1 }, { unique: true, partialFilterExpression: isChained }],
);

export type CommentDocument = DocumentOf<typeof storedRecord>;

export function toListed(document: CommentDocument): ListedComment {
  const stored = comments.toRecord(document);
  return { ...toComment(stored), replyCount: replyCountOf(stored) };
}

export function toComment(document: CommentDocument | RecordOf<typeof storedRecord>): Comment {
  const stored = '_id' in document ? comments.toRecord(document) : document;
  const { bytes: _, texts: __, follows: ___, total: ____, ...comment } = stored;
  return comment;
}

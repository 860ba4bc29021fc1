import type { Connection } from 'mongoose';
import { unavailable } from '../domain/errors.ts';
import { field, orAbsent, type RecordOf, record } from '../domain/record.ts';
import { collectionOf, listTexts } from '../mongo/collection.ts';
import { forRequests, inBackground } from '../mongo/errors.ts';
import { distinctIds } from '../mongo/grid-bucket.ts';
import { createKeyedQueue } from '../util/queues.ts';
import {
  type Comment,
  type CommentState,
  commentRecord,
  nextSeq,
  type UnnumberedComment,
} from './comment.ts';
import { type CommentCounts, type CommentStore, foundSides, noSides } from './comment-store.ts';

/** Each lost attempt means that a parallel call has changed a comment of the same owner. */
const attempts = 100;
/** In a process the changes of an owner take turns, because each would be tried again for each parallel one. */
const maxWaiting = 50;

/**
 * `follows` is the highest `seq` of the owner that the writer has read. It is unique by owner, so a change is refused if another
 * one came between: numbers are given in the order of the commits. A comment keeps those of its last changes, so that a writer
 * that has waited for long is refused, too. Absent in imported comments.
 */
const areNumbers = (value: unknown): value is readonly number[] => Array.isArray(value);
const follows = orAbsent(field('object', 'a list of numbers', areNumbers));
const keptFollows = 20;
const chainedRecord = record(commentRecord.name, { ...commentRecord.fields, follows });
const isChained = { follows: { $exists: true } };

const comments = collectionOf(
  chainedRecord,
  ['comments_owner', { owner_id: 1, seq: 1 }],
  ['comments_drop', { drop_id: 1, seq: 1 }],
  ['comments_state', { drop_id: 1, state: 1 }],
  ['comments_version', { version_id: 1 }],
  ['comments_seq', { seq: 1, owner_id: 1 }],
  ['comments_follows', { owner_id: 1, follows: 1 }, { unique: true, partialFilterExpression: isChained }],
);

type ForJobs = 'setInLatest' | 'noteSides' | 'delete' | 'listIds';

export function createMongoCommentStore(connection: Connection): CommentStore {
  const records = comments.in(connection);
  const { model } = records;
  const turns = createKeyedQueue(1, maxWaiting);

  async function lastSeq(ownerId: string): Promise<number> {
    const options = { sort: { seq: -1 }, limit: 1, hint: 'comments_owner' } as const;
    return (await records.list({ owner_id: ownerId }, options))[0]?.seq ?? 0;
  }

  async function find(id: string): Promise<Comment | null> {
    const found = await records.find({ _id: id });
    return found === null ? null : withoutFollows(found);
  }

  async function countByDrop(dropIds: readonly string[]): Promise<Map<string, CommentCounts>> {
    type Group = {
      readonly _id: { readonly drop: string; readonly state: CommentState };
      readonly count: number;
    };
    const groups = await model
      .aggregate<Group>([
        { $match: { drop_id: { $in: dropIds }, state: { $in: ['open', 'held'] } } },
        { $group: { _id: { drop: '$drop_id', state: '$state' }, count: { $sum: 1 } } },
      ])
      .hint('comments_state');
    const counts = new Map<string, CommentCounts>();
    for (const { _id, count } of groups)
      counts.set(_id.drop, { ...(counts.get(_id.drop) ?? { open: 0, held: 0 }), [_id.state]: count });
    return counts;
  }

  /** Tries to write after the last change until no other change comes between. @param write undefined: one has come between */
  async function inOrder<T>(
    comment: UnnumberedComment,
    now: number,
    write: (numbered: RecordOf<typeof chainedRecord>) => Promise<T | undefined>,
  ): Promise<T> {
    const outcome = await turns.run(comment.ownerId, async () => {
      for (let left = attempts; left > 0; left--) {
        const follows = await lastSeq(comment.ownerId);
        const written = await write({ ...comment, seq: nextSeq(follows, now), follows: [follows] });
        if (written !== undefined) return written;
      }
      return undefined;
    });
    if (outcome === undefined)
      throw unavailable('Too many parallel changes of the comments of this account.');
    return outcome;
  }

  const methods = forRequests<Omit<CommentStore, ForJobs>>(connection, {
    insert: (comment, now, caps) =>
      inOrder(comment, now, async (numbered) => {
        const stored = await find(comment.id);
        if (stored !== null) return stored;
        const { open = 0, held = 0 } = (await countByDrop([comment.dropId])).get(comment.dropId) ?? {};
        if (open + held >= caps.openPerDrop) return null;
        if (comment.state === 'held' && held >= caps.heldPerDrop) return null;
        const isStored = await records.insertUnlessTaken(numbered, '_id_', 'comments_follows');
        return isStored ? withoutFollows(numbered) : undefined;
      }),

    find,

    async list(ownerId, { dropId, states, after, before, limit }) {
      const seq = { $gt: after, ...(before !== undefined && { $lt: before }) };
      const filter = { owner_id: ownerId, seq, state: { $in: [...states] } };
      const found = await records.list(dropId === null ? filter : { ...filter, drop_id: dropId }, {
        sort: { seq: before === undefined ? 1 : -1 },
        limit,
        batchSize: limit + 1,
        hint: dropId === null ? 'comments_owner' : 'comments_drop',
      });
      return found.map(withoutFollows);
    },

    lastSeq,

    replace: (read, next, now) =>
      inOrder(next, now, async (numbered) => {
        const { _id, follows, ...set } = comments.toDocument(numbered);
        const replaced = await records.updateUnlessTaken(
          { _id, seq: read.seq },
          { $set: set, $push: { follows: { $each: follows ?? [], $slice: -keptFollows } } },
          'comments_follows',
        );
        if (replaced === 'taken') return undefined;
        return replaced ? withoutFollows(numbered) : null;
      }),

    remove: async (id) => (await records.remove({ _id: id })) > 0,

    countByDrop,

    ownersAfter: async (seq) => model.distinct('owner_id', { seq: { $gt: seq } }),
  });

  const forJobs = inBackground<Pick<CommentStore, ForJobs>>({
    async setInLatest(ids, place) {
      await records.updateAll({ _id: { $in: [...ids] } }, { $set: { in_latest: place } });
    },
    async noteSides(ids, areFound) {
      const changed = Object.entries(areFound ? foundSides : noSides);
      const set = Object.fromEntries(changed.map(([name, value]) => [`anchor.${name}`, value]));
      await records.updateAll({ _id: { $in: [...ids] }, anchor: { $ne: null } }, { $set: set });
    },
    async delete(ids) {
      await records.remove({ version_id: { $in: [...ids] } });
    },
    listIds: distinctIds(listTexts(connection, commentRecord.name, 'version_id')),
  });

  return { ...methods, ...forJobs };
}

function withoutFollows({ follows: _, ...comment }: RecordOf<typeof chainedRecord>): Comment {
  return comment;
}

import { LRUCache } from 'lru-cache';
import type { Connection, QueryFilter } from 'mongoose';
import { collectionOf, listTexts } from '../mongo/collection.ts';
import { answerMs, forRequests, inBackground } from '../mongo/errors.ts';
import { distinctIds } from '../mongo/grid-bucket.ts';
import { type Comment, type CommentState, commentRecord, type Thread, threadRecord } from './comment.ts';
import {
  type CommentCounts,
  type CommentQuery,
  type CommentStore,
  type FoundThreads,
  foundSides,
  type ListedComment,
  noSides,
} from './comment-store.ts';
import { createMongoCommentChanges } from './mongo-changes.ts';
import type { Head } from './mongo-order.ts';
import { type CommentDocument, comments, toComment, toListed } from './mongo-schema.ts';
import { addSizes } from './mongo-sizes.ts';
import { authorFor, chooseFitting, inOrder } from './thread.ts';

type Filter = QueryFilter<CommentDocument>;

const threads = collectionOf(threadRecord);
const withoutTexts = { text: 0, replies: 0, follows: 0, total: 0 } as const;
const entryFields = { seq: 1, bytes: 1, texts: 1 } as const;

/** What `readHead` remembers of owners. */
const ownersRemembered = 10_000;

type ForJobs = 'setInLatest' | 'noteSides' | 'delete' | 'listIds';

export function createMongoCommentStore(connection: Connection): CommentStore {
  const records = comments.in(connection);
  const { model } = records;
  const lastSeqs = new LRUCache<string, number>({ max: ownersRemembered });

  const findLast = (ownerId: string, from: number) =>
    model
      .findOne({ owner_id: ownerId, seq: { $gte: from } }, { seq: 1, total: 1 })
      .sort({ seq: -1 })
      .hint('comments_owner')
      .lean<Pick<CommentDocument, 'seq' | 'total'>>();

  /** First from the number that was the highest before: DocumentDB reads and sorts all documents that the filter finds. */
  async function readHead(ownerId: string): Promise<Head> {
    const from = lastSeqs.get(ownerId) ?? 0;
    let last = await findLast(ownerId, from);
    if (last === null && from > 0) last = await findLast(ownerId, 0); // that comment was deleted
    if (last === null) {
      lastSeqs.delete(ownerId);
      return { seq: 0, total: 0 };
    }
    lastSeqs.set(ownerId, last.seq);
    return { seq: last.seq, total: last.total ?? null };
  }

  /** A process of release 1.3 stores comments without sizes: they are added before anything rests on them. */
  async function readWithSizes<D extends Pick<CommentDocument, '_id' | 'bytes'>>(
    read: () => Promise<D[]>,
  ): Promise<D[]> {
    const found = await read();
    const without = found.filter(({ bytes }) => bytes === undefined).map(({ _id }) => _id);
    if (without.length === 0) return found;
    await addSizes(connection, without);
    return read();
  }

  async function findOne(id: string, projection: object): Promise<CommentDocument | undefined> {
    const read = async () => {
      const found = await model.findOne({ _id: id }, projection).lean<CommentDocument>();
      return found === null ? [] : [found];
    };
    return (await readWithSizes(read))[0];
  }

  async function find(id: string): Promise<Comment | null> {
    const found = await findOne(id, { follows: 0 });
    return found === undefined ? null : toComment(found);
  }

  async function findThread(id: string): Promise<Thread | null> {
    const found = await findOne(id, withoutTexts);
    return found === undefined ? null : threads.toRecord(found);
  }

  /** DocumentDB counts by the index alone; for `$group` it reads all documents. */
  const countIn = (dropId: string, states: readonly CommentState[]): Promise<number> =>
    model.countDocuments({ drop_id: dropId, state: { $in: [...states] } } as Filter).hint('comments_of_drop'); // proof: states

  /** Most drops have none, which takes one command. */
  async function countOne(dropId: string): Promise<Map<string, CommentCounts>> {
    const both = await countIn(dropId, ['open', 'held']);
    if (both === 0) return new Map();
    const held = await countIn(dropId, ['held']);
    return new Map([[dropId, { open: Math.max(0, both - held), held }]]);
  }

  async function countAll(dropIds: readonly string[]): Promise<Map<string, CommentCounts>> {
    const groups = await model
      .aggregate<{
        readonly _id: { readonly drop: string; readonly state: 'open' | 'held' };
        readonly count: number;
      }>([
        { $match: { drop_id: { $in: dropIds }, state: { $in: ['open', 'held'] } } },
        { $group: { _id: { drop: '$drop_id', state: '$state' }, count: { $sum: 1 } } },
      ])
      .hint('comments_of_drop');
    const counts = new Map<string, CommentCounts>();
    for (const { _id, count } of groups) {
      const { drop, state } = _id;
      counts.set(drop, { ...(counts.get(drop) ?? { open: 0, held: 0 }), [state]: count });
    }
    return counts;
  }

  async function listState(ownerId: string, query: CommentQuery, state: CommentState) {
    const { dropId, after, before, limit, newsFor } = query;
    const author = authorFor(query, state);
    if (author === undefined) return [];
    const of = dropId === null ? { owner_id: ownerId } : { drop_id: dropId };
    const by = Object.fromEntries(Object.entries(author ?? {}).map(([name, key]) => [`author.${name}`, key]));
    const seq = { $gt: after, ...(before !== undefined && { $lt: before }) };
    const fields = newsFor === undefined ? entryFields : { ...entryFields, updated_by: 1, other_seq: 1 };
    type Found = Pick<CommentDocument, '_id' | 'seq' | 'bytes' | 'texts'> & Partial<CommentDocument>;
    const read = () =>
      model
        .find({ ...of, ...by, state, seq } as Filter, fields) // proof: fields of the documents
        .sort({ seq: before === undefined ? 1 : -1 })
        .limit(limit)
        .batchSize(limit + 1)
        .hint(dropId === null ? 'comments_of_owner' : indexOfDrop(author))
        .lean<Found[]>();
    const found = await readWithSizes(read);
    return found.map(({ _id: id, seq, bytes, texts, updated_by = null, other_seq = 0 }) => ({
      id,
      seq,
      bytes,
      texts,
      updatedBy: updated_by,
      otherSeq: other_seq,
    }));
  }

  async function findThreads(ownerId: string, query: CommentQuery): Promise<FoundThreads> {
    const lists = await Promise.all(query.states.map((state) => listState(ownerId, query, state)));
    return inOrder(lists, query);
  }

  /** In the order of the entries, without those that are gone, or not in these states any more. */
  async function readAll(
    entries: readonly { readonly id: string }[],
    { states }: CommentQuery,
    filter: Filter,
    projection: object,
  ): Promise<ListedComment[]> {
    if (entries.length === 0) return [];
    const all = { ...filter, _id: { $in: entries.map(({ id }) => id) }, state: { $in: [...states] } };
    const found = await model
      .find(all, projection)
      .batchSize(entries.length + 1)
      .lean<CommentDocument[]>();
    const byId = new Map(found.map((document) => [document._id, toListed(document)]));
    return entries.flatMap(({ id }) => byId.get(id) ?? []);
  }

  const methods = forRequests<Omit<CommentStore, ForJobs>>(connection, {
    ...createMongoCommentChanges(records, {
      readHead,
      find,
      findThread,
      countIn,
      timeMs: answerMs(connection) - 500,
    }),

    find,
    findThread,

    async list(ownerId, query) {
      const { chosen, ...rest } = chooseFitting(query.found ?? (await findThreads(ownerId, query)), query);
      const { lastReplies } = query;
      const last = lastReplies !== undefined && { replies: { $slice: -lastReplies } };
      const projection = { follows: 0, total: 0, ...last };
      const found = await readAll(chosen, query, { owner_id: ownerId }, projection);
      return { comments: found, ...rest };
    },

    async listThreads(ownerId, { dropId, states, after, limit }) {
      const listed = { owner_id: ownerId, drop_id: dropId, state: { $in: [...states] }, seq: { $gt: after } };
      const read = () =>
        model
          .find(listed as Filter, withoutTexts) // proof: fields of the documents
          .sort({ seq: 1 })
          .limit(limit)
          .batchSize(limit + 1)
          .hint('comments_of_drop')
          .lean<CommentDocument[]>();
      return (await readWithSizes(read)).map(threads.toRecord);
    },

    lastSeq: async (ownerId) => (await readHead(ownerId)).seq,

    async listMarked(dropId) {
      const marked = { drop_id: dropId, 'resolving.versionId': { $gt: '' } } as Filter; // proof: a field of marks
      const found = await model.find(marked, { _id: 1 }).hint('comments_marked').lean<{ _id: string }[]>();
      return found.map(({ _id }) => _id);
    },

    confirm: async () => undefined, // a read is of what the primary has

    remove: async (id) => (await records.remove({ _id: id })) > 0,

    countByDrop(dropIds) {
      const [only, ...others] = dropIds;
      return only !== undefined && others.length === 0 ? countOne(only) : countAll(dropIds);
    },

    ownersAfter: async (seq) => model.distinct('owner_id', { seq: { $gt: seq } }),
  });

  const forJobs = inBackground<Pick<CommentStore, ForJobs>>(connection, {
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

function indexOfDrop(author: ReturnType<typeof authorFor>): string {
  if (author == null) return 'comments_of_drop';
  return 'guest' in author ? 'comments_of_guest' : 'comments_of_member';
}

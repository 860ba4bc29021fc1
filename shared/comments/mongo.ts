import type { Connection, QueryFilter } from 'mongoose';
import type { BlobIds } from '../blobs/blob-store.ts';
import { collectionOf, listTexts } from '../mongo/collection.ts';
import { answerMs } from '../mongo/errors.ts';
import { distinctIds } from '../mongo/grid-bucket.ts';
import {
  type Anchor,
  type Comment,
  type CommentState,
  commentRecord,
  type Mark,
  nextSeq,
  type Sizes,
  sizesOf,
  sizesOfMark,
  type Thread,
  threadRecord,
  type UnnumberedComment,
} from './comment.ts';
import type {
  AuthorKey,
  CommentCaps,
  CommentChange,
  CommentCounts,
  CommentPart,
  CommentQuery,
  CommentStore,
  FullBound,
  InboxCounts,
  NotedSides,
  ReadThread,
  StateCounts,
  ThreadQuery,
} from './comment-store.ts';
import { MongoCommentBounds } from './mongo-bounds.ts';
import { addedBytes, changeable, markable, marked, removalOfMark, updateOf } from './mongo-changes.ts';
import { MongoCommentLists } from './mongo-lists.ts';
import { MongoCommentOrder } from './mongo-order.ts';
import { type CommentDocument, comments, toComment } from './mongo-schema.ts';
import { readWithSizes } from './mongo-sizes.ts';
import { chooseFitting, fullThread, opens } from './thread.ts';

type Filter = QueryFilter<CommentDocument>;

const threads = collectionOf(threadRecord);
const withoutTexts = { text: 0, replies: 0, follows: 0, total: 0 } as const;

/** Of the time for one call, what is left for the last attempt of a change. */
const lastAttemptMs = 500;

/** A change is one conditional update, after which no bound can be passed. `mongo/stores.ts` sets the time limits of its calls. */
export class MongoComments implements CommentStore {
  readonly #connection: Connection;
  readonly #records: ReturnType<typeof comments.in>;
  readonly #order: MongoCommentOrder;
  readonly #bounds: MongoCommentBounds;
  readonly #lists: MongoCommentLists;
  readonly listIds: BlobIds['listIds'];

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#records = comments.in(connection);
    const { model } = this.#records;
    this.#order = new MongoCommentOrder(model, answerMs(connection) - lastAttemptMs);
    this.#bounds = new MongoCommentBounds(model);
    this.#lists = new MongoCommentLists(connection, model);
    this.listIds = distinctIds(listTexts(connection, commentRecord.name, 'version_id'));
  }

  async insert(comment: UnnumberedComment, now: number, caps: CommentCaps): Promise<Comment | FullBound> {
    const { ownerId } = comment;
    return this.#order.write<Comment | FullBound>(ownerId, async (head) => {
      const sizes = sizesOf(comment);
      const numbered = { ...comment, seq: nextSeq(head.seq, now) };
      const total = await this.#bounds.totalWith(ownerId, head, sizes.bytes, caps);
      const full = total === null ? 'account' : await this.#bounds.fullDrop(numbered, caps);
      if (full !== null) return (await this.find(comment.id)) ?? full;
      const stored = { ...numbered, ...sizes, follows: [head.seq], total };
      if (await this.#records.insertUnlessTaken(stored, '_id_', 'comments_follows')) return toComment(stored);
      return (await this.find(comment.id)) ?? undefined;
    });
  }

  async find(id: string): Promise<Comment | null> {
    const found = await this.#findOne(id, { follows: 0 });
    return found === undefined ? null : toComment(found);
  }

  async findThread(id: string): Promise<Thread | null> {
    const found = await this.#findOne(id, withoutTexts);
    return found === undefined ? null : threads.toRecord(found);
  }

  async list(ownerId: string, query: CommentQuery): Promise<CommentPart> {
    const entries = query.found ?? (await this.#lists.find(ownerId, query));
    const { chosen, ...rest } = chooseFitting(entries, query);
    return { comments: await this.#lists.readAll(ownerId, chosen, query), ...rest };
  }

  async listThreads(ownerId: string, query: ThreadQuery): Promise<Thread[]> {
    const found = await this.#lists.findThreads(ownerId, query, withoutTexts);
    return found.map(threads.toRecord);
  }

  async lastSeq(ownerId: string): Promise<number> {
    const { seq } = await this.#order.readHead(ownerId);
    return seq;
  }

  async change(
    read: ReadThread,
    change: CommentChange,
    now: number,
    caps: CommentCaps,
  ): Promise<number | FullBound | null> {
    const { id, ownerId } = read;
    return this.#order.write<number | FullBound | null>(ownerId, async (head) => {
      const total = await this.#bounds.totalWith(ownerId, head, addedBytes(change), caps);
      if (total === null) return 'account';
      if (opens(read, change) && (await this.#bounds.isOpenFull(read.dropId, caps))) return 'open';
      const seq = nextSeq(head.seq, now);
      const filter = changeable(read, change.sizes, caps);
      const update = updateOf(change, { seq, total, follows: head.seq });
      const done = await this.#records.updateUnlessTaken(filter, update, 'comments_follows');
      if (done === 'taken') return undefined;
      if (done) return seq;
      const thread = await this.findThread(id);
      return thread?.seq === read.seq ? fullThread(thread, change.sizes, caps) : null;
    });
  }

  async mark(id: string, mark: Mark, caps: CommentCaps): Promise<'marked' | 'known' | FullBound | null> {
    const thread = await this.findThread(id);
    if (thread === null) return null;
    const sizes = sizesOfMark(mark);
    const head = await this.#order.readHead(thread.ownerId);
    if ((await this.#bounds.totalWith(thread.ownerId, head, sizes.bytes, caps)) === null) return 'account';
    const update = { $push: { resolving: mark }, $inc: { ...sizes } };
    if (await this.#records.update(markable(id, mark, sizes, caps), update)) return 'marked';
    return this.#whyNotMarked(id, mark, sizes, caps);
  }

  async unmark(id: string, mark: Mark): Promise<void> {
    await this.#records.update(marked(id, mark), removalOfMark(mark, sizesOfMark(mark)));
  }

  async listMarked(dropId: string): Promise<string[]> {
    const filter = { drop_id: dropId, 'resolving.versionId': { $gt: '' } } as Filter; // proof: a field of marks
    const found = await this.#records.model
      .find(filter, { _id: 1 })
      .hint('comments_marked')
      .lean<{ _id: string }[]>();
    return found.map(({ _id }) => _id);
  }

  async setInLatest(
    ids: readonly string[],
    place: Comment['inLatest'],
    changedTo: Anchor['changedTo'],
  ): Promise<void> {
    await this.#setQuoted(ids, { in_latest: place, 'anchor.changedTo': changedTo });
  }

  async noteSides(ids: readonly string[], { areFound, standing, context }: NotedSides): Promise<void> {
    const noted = { 'anchor.sides': 'found', 'anchor.standing': standing, 'anchor.context': context };
    await this.#setQuoted(ids, areFound ? noted : { ...noted, 'anchor.prefix': '', 'anchor.suffix': '' });
  }

  async confirm(): Promise<void> {
    // A read is of what the primary has.
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#records.remove({ _id: id })) > 0;
  }

  async countByDrop(dropIds: readonly string[]): Promise<Map<string, CommentCounts>> {
    return this.#bounds.countByDrop(dropIds);
  }

  async countThreads(dropId: string, states: readonly CommentState[], by: AuthorKey | null): Promise<number> {
    return this.#lists.count(dropId, states, by);
  }

  async countInbox(ownerId: string, seen: number, atMost: number): Promise<InboxCounts> {
    return this.#bounds.countInbox(ownerId, seen, atMost);
  }

  async countStates(ownerId: string, atMost: number): Promise<StateCounts> {
    return this.#bounds.countStates(ownerId, atMost);
  }

  async ownersAfter(seq: number): Promise<string[]> {
    return this.#records.model.distinct('owner_id', { seq: { $gt: seq } });
  }

  async delete(versionIds: readonly string[]): Promise<void> {
    await this.#records.remove({ version_id: { $in: [...versionIds] } });
  }

  /** Of those that have an anchor. */
  async #setQuoted(ids: readonly string[], set: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#records.updateAll({ _id: { $in: [...ids] }, anchor: { $ne: null } }, { $set: set });
  }

  async #findOne(id: string, projection: object): Promise<CommentDocument | undefined> {
    const read = async () => {
      const found = await this.#records.model.findOne({ _id: id }, projection).lean<CommentDocument>();
      return found === null ? [] : [found];
    };
    const [found] = await readWithSizes(this.#connection, read);
    return found;
  }

  /** Why the thread could not be marked. null: it is gone */
  async #whyNotMarked(
    id: string,
    { versionId }: Mark,
    sizes: Sizes,
    caps: CommentCaps,
  ): Promise<'known' | FullBound | null> {
    const thread = await this.findThread(id);
    if (thread === null) return null;
    if (thread.resolving.some((mark) => mark.versionId === versionId)) return 'known';
    return fullThread(thread, sizes, caps) ?? 'marks';
  }
}

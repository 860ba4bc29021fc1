import type { Model, QueryFilter } from 'mongoose';
import type { Comment, CommentState } from './comment.ts';
import type { CommentCaps, CommentCounts, FullBound, InboxCounts, StateCounts } from './comment-store.ts';
import type { Head } from './mongo-order.ts';
import type { CommentDocument } from './mongo-schema.ts';

interface StateCount {
  readonly _id: { readonly drop: string; readonly state: 'open' | 'held' };
  readonly count: number;
}

/** The bounds of the comments of a drop and of an account, and other counts. */
export class MongoCommentBounds {
  readonly #model: Model<CommentDocument>;

  constructor(model: Model<CommentDocument>) {
    this.#model = model;
  }

  /** See `CommentStore.countByDrop`. */
  countByDrop(dropIds: readonly string[]): Promise<Map<string, CommentCounts>> {
    const [only, ...others] = dropIds;
    return only !== undefined && others.length === 0 ? this.#countOne(only) : this.#countAll(dropIds);
  }

  /** See `CommentStore.countInbox`. Two commands side by side, because each state has its own limit. */
  async countInbox(ownerId: string, seen: number, atMost: number): Promise<InboxCounts> {
    const countHeld = this.#countOwned(ownerId, 'held', atMost);
    const listNews = this.#model
      .find(
        { owner_id: ownerId, state: 'open', updated_by: null, seq: { $gt: seen } },
        { _id: 0, drop_id: 1 },
      )
      .sort({ seq: -1 })
      .limit(atMost)
      .batchSize(atMost + 1)
      .hint('comments_news')
      .lean<Pick<CommentDocument, 'drop_id'>[]>();
    const [held, found] = await Promise.all([countHeld, listNews]);
    const news = new Map<string, number>();
    for (const { drop_id: dropId } of found) news.set(dropId, (news.get(dropId) ?? 0) + 1);
    return { held, news };
  }

  /** See `CommentStore.countStates`. */
  async countStates(ownerId: string, atMost: number): Promise<StateCounts> {
    const [open, held, resolved] = await Promise.all([
      this.#countOwned(ownerId, 'open', atMost),
      this.#countOwned(ownerId, 'held', atMost),
      this.#countOwned(ownerId, 'resolved', atMost),
    ]);
    return { open, held, resolved };
  }

  /** The bound of its drop that a new comment would pass; null: none. */
  async fullDrop({ dropId, state }: Comment, caps: CommentCaps): Promise<FullBound | null> {
    const all = await this.#count(dropId, ['open', 'held', 'resolved']);
    if (all >= caps.threadsPerDrop) return 'drop';
    // A count for each bound, because a thread that changes its state between two counts may be in both, or in none.
    const reaches = async (cap: number, states: readonly CommentState[]) =>
      all >= cap && (await this.#count(dropId, states)) >= cap;
    if (state !== 'resolved' && (await reaches(caps.openPerDrop, ['open', 'held']))) return 'open';
    return state === 'held' && (await reaches(caps.heldPerDrop, ['held'])) ? 'held' : null;
  }

  async #countOwned(ownerId: string, state: CommentState, atMost: number): Promise<number> {
    const listed = { owner_id: ownerId, state };
    return this.#model.countDocuments(listed, { limit: atMost }).hint('comments_of_owner');
  }

  /** Whether no thread of the drop can be opened. */
  async isOpenFull(dropId: string, { openPerDrop }: CommentCaps): Promise<boolean> {
    return (await this.#count(dropId, ['open', 'held'])) >= openPerDrop;
  }

  /** The account's total with these bytes more; null: it would be above the bound. */
  async totalWith(
    ownerId: string,
    { total }: Head,
    bytes: number,
    { accountBytes }: CommentCaps,
  ): Promise<number | null> {
    if (total !== null && (bytes <= 0 || total + bytes <= accountBytes)) return Math.max(0, total + bytes);
    const counted = await this.#countBytes(ownerId);
    return bytes <= 0 || counted + bytes <= accountBytes ? Math.max(0, counted + bytes) : null;
  }

  /** DocumentDB counts by the index alone; for `$group` it reads all documents. */
  async #count(dropId: string, states: readonly CommentState[]): Promise<number> {
    const filter = { drop_id: dropId, state: { $in: [...states] } } as QueryFilter<CommentDocument>; // proof: states
    return this.#model.countDocuments(filter).hint('comments_of_drop');
  }

  /** Most drops have none, which takes one command. */
  async #countOne(dropId: string): Promise<Map<string, CommentCounts>> {
    const both = await this.#count(dropId, ['open', 'held']);
    if (both === 0) return new Map();
    const held = await this.#count(dropId, ['held']);
    return new Map([[dropId, { open: Math.max(0, both - held), held }]]);
  }

  async #countAll(dropIds: readonly string[]): Promise<Map<string, CommentCounts>> {
    const groups = await this.#model
      .aggregate<StateCount>([
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

  /** By an index. The total that changes carry is too high after comments were deleted. */
  async #countBytes(ownerId: string): Promise<number> {
    const [found] = await this.#model
      .aggregate<{ readonly bytes: number }>([
        { $match: { owner_id: ownerId } },
        { $group: { _id: null, bytes: { $sum: '$bytes' } } },
      ])
      .hint('comments_of_owner');
    return found?.bytes ?? 0;
  }
}

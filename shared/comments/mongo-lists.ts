import type { Connection, Model, QueryFilter } from 'mongoose';
import type { CommentState } from './comment.ts';
import type { AuthorKey, CommentQuery, FoundThreads, ListedComment, ThreadQuery } from './comment-store.ts';
import { type CommentDocument, toListed } from './mongo-schema.ts';
import { readWithSizes } from './mongo-sizes.ts';
import { authorToAskFor, type Entry, inOrder } from './thread.ts';

type Filter = QueryFilter<CommentDocument>;
type EntryDocument = Pick<CommentDocument, '_id' | 'seq' | 'bytes' | 'texts'> & Partial<CommentDocument>;

const entryFields = { seq: 1, bytes: 1, texts: 1 } as const;

/** The threads that a query lists. */
export class MongoCommentLists {
  readonly #connection: Connection;
  readonly #model: Model<CommentDocument>;

  constructor(connection: Connection, model: Model<CommentDocument>) {
    this.#connection = connection;
    this.#model = model;
  }

  /** By an index that has the states, without reading texts. */
  async find(ownerId: string, query: CommentQuery): Promise<FoundThreads> {
    const lists = await Promise.all(query.states.map((state) => this.#listState(ownerId, query, state)));
    return inOrder(lists, query);
  }

  /** In the order of the entries, without those that are gone, or not in these states any more. */
  async readAll(
    ownerId: string,
    entries: readonly { readonly id: string }[],
    { states, lastReplies }: CommentQuery,
  ): Promise<ListedComment[]> {
    if (entries.length === 0) return [];
    const ids = entries.map(({ id }) => id);
    const filter = { owner_id: ownerId, _id: { $in: ids }, state: { $in: [...states] } };
    const last = lastReplies !== undefined && { replies: { $slice: -lastReplies } };
    const projection: object = { follows: 0, total: 0, ...last };
    const found = await this.#model
      .find(filter, projection)
      .batchSize(ids.length + 1)
      .lean<CommentDocument[]>();
    const byId = new Map(found.map((document) => [document._id, toListed(document)]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** See `CommentStore.listThreads`. */
  async findThreads(
    ownerId: string,
    { dropId, states, after, limit }: ThreadQuery,
    projection: object,
  ): Promise<CommentDocument[]> {
    const listed = { owner_id: ownerId, drop_id: dropId, state: { $in: [...states] }, seq: { $gt: after } };
    return readWithSizes(this.#connection, () =>
      this.#model
        .find(listed as Filter, projection) // proof: fields of the documents
        .sort({ seq: 1 })
        .limit(limit)
        .batchSize(limit + 1)
        .hint('comments_of_drop')
        .lean<CommentDocument[]>(),
    );
  }

  /** See `CommentStore.countThreads`. */
  count(dropId: string, states: readonly CommentState[], by: AuthorKey | null): Promise<number> {
    const listed = { drop_id: dropId, ...writtenBy(by), state: { $in: [...states] } };
    return this.#model.countDocuments(listed as Filter).hint(indexOf(dropId, by)); // proof: fields of the documents
  }

  async #listState(ownerId: string, query: CommentQuery, state: CommentState): Promise<Entry[]> {
    const { dropId, after, before, limit, newsFor } = query;
    const author = authorToAskFor(query, state);
    if (author === undefined) return [];
    const of = dropId === null ? { owner_id: ownerId } : { drop_id: dropId };
    const seq = { $gt: after, ...(before !== undefined && { $lt: before }) };
    const fields = newsFor === undefined ? entryFields : { ...entryFields, updated_by: 1, other_seq: 1 };
    const found = await readWithSizes(this.#connection, () =>
      this.#model
        .find({ ...of, ...writtenBy(author), state, seq } as Filter, fields) // proof: fields of the documents
        .sort({ seq: before === undefined ? 1 : -1 })
        .limit(limit)
        .batchSize(limit + 1)
        .hint(indexOf(dropId, author))
        .lean<EntryDocument[]>(),
    );
    return found.map(toEntry);
  }
}

/** @param author null: of all */
function writtenBy(author: AuthorKey | null): object {
  return Object.fromEntries(Object.entries(author ?? {}).map(([name, key]) => [`author.${name}`, key]));
}

function indexOf(dropId: string | null, author: AuthorKey | null): string {
  if (dropId === null) return 'comments_of_owner';
  if (author === null) return 'comments_of_drop';
  return 'guest' in author ? 'comments_of_guest' : 'comments_of_member';
}

function toEntry(document: EntryDocument): Entry {
  const { _id: id, seq, bytes, texts, updated_by: updatedBy = null, other_seq: otherSeq = 0 } = document;
  return { id, seq, bytes, texts, updatedBy, otherSeq };
}

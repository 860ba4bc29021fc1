import type { Database } from '../sqlite/database.ts';
import type { CommentState } from './comment.ts';
import type { AuthorKey, CommentQuery, FoundThreads } from './comment-store.ts';
import { authorToAskFor, type Entry, inOrder } from './thread.ts';

type SmallRow = [id: string, seq: number, bytes: number, texts: number];
/** The last two are read for news alone. */
type EntryRow = [...SmallRow, updatedBy?: string | null, otherSeq?: number];

const smallColumns = 'id, seq, bytes, texts';

/** The lists of one state: each index has its order and the small columns. */
const indexes = {
  comments_of_owner: 'owner_id = $of',
  comments_of_drop: 'drop_id = $of',
  comments_of_author: 'drop_id = $of AND author_key = $author',
} as const;

type Index = keyof typeof indexes;
type IndexOfDrop = Exclude<Index, 'comments_of_owner'>;
type Reading = Pick<Database, 'prepareTuples'>;

/** The threads that a query lists, without their texts. */
export class SqliteCommentLists {
  readonly #statements;
  readonly #counts;

  constructor(db: Reading) {
    this.#statements = {
      comments_of_owner: prepareLists(db, 'comments_of_owner'),
      comments_of_drop: prepareLists(db, 'comments_of_drop'),
      comments_of_author: prepareLists(db, 'comments_of_author'),
    };
    this.#counts = {
      comments_of_drop: prepareCount(db, 'comments_of_drop'),
      comments_of_author: prepareCount(db, 'comments_of_author'),
    };
  }

  find(ownerId: string, query: CommentQuery): FoundThreads {
    const lists = query.states.map((state) => this.#listState(ownerId, query, state));
    return inOrder(lists, query);
  }

  /** See `CommentStore.countThreads`. */
  count(dropId: string, states: readonly CommentState[], by: AuthorKey | null): number {
    const listed = { of: dropId, states: JSON.stringify(states), ...(by && { author: textOf(by) }) };
    return this.#counts[indexOfDrop(by)].get(listed)?.[0] ?? 0;
  }

  #listState(ownerId: string, query: CommentQuery, state: CommentState): Entry[] {
    const { dropId, after, before, limit } = query;
    const author = authorToAskFor(query, state);
    if (author === undefined) return [];
    const isOfAuthor = dropId !== null && author !== null;
    const rows = this.#statements[indexOf(dropId, author)][orderOf(query)].all({
      of: dropId ?? ownerId,
      state,
      after,
      before: before ?? Number.MAX_SAFE_INTEGER,
      limit,
      ...(isOfAuthor && { author: textOf(author) }),
    });
    return rows.map(toEntry);
  }
}

function prepareCount(db: Reading, index: IndexOfDrop) {
  return db.prepareTuples<[threads: number]>(`
    SELECT count(*) FROM comments INDEXED BY ${index}
    WHERE ${indexes[index]} AND state IN (SELECT value FROM json_each($states))`);
}

function prepareLists(db: Reading, index: Index) {
  const prepare = (columns: string, order: 'ASC' | 'DESC') =>
    db.prepareTuples<EntryRow>(`
      SELECT ${columns} FROM comments INDEXED BY ${index}
      WHERE ${indexes[index]} AND state = $state AND seq > $after AND seq < $before ORDER BY seq ${order} LIMIT $limit`);
  return {
    oldest: prepare(smallColumns, 'ASC'),
    newest: prepare(smallColumns, 'DESC'),
    news: prepare(`${smallColumns}, updated_by, other_seq`, 'ASC'),
  };
}

function indexOf(dropId: string | null, author: AuthorKey | null): Index {
  return dropId === null ? 'comments_of_owner' : indexOfDrop(author);
}

function indexOfDrop(author: AuthorKey | null): IndexOfDrop {
  return author === null ? 'comments_of_drop' : 'comments_of_author';
}

function orderOf({ before, newsFor }: CommentQuery): 'oldest' | 'newest' | 'news' {
  if (newsFor !== undefined) return 'news';
  return before === undefined ? 'oldest' : 'newest';
}

function toEntry([id, seq, bytes, texts, updatedBy = null, otherSeq = 0]: EntryRow): Entry {
  return { id, seq, bytes, texts, updatedBy, otherSeq };
}

function textOf(author: AuthorKey): string {
  return 'guest' in author ? author.guest : author.accountId;
}

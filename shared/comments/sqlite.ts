import type { Database } from '../sqlite/database.ts';
import { blobIds } from '../sqlite/table.ts';
import type { CommentState, Thread } from './comment.ts';
import {
  type AuthorKey,
  type CommentCounts,
  type CommentQuery,
  type CommentStore,
  type FoundThreads,
  foundSides,
  noSides,
} from './comment-store.ts';
import { createSqliteCommentChanges } from './sqlite-changes.ts';
import { commentRowsOf, toComment } from './sqlite-rows.ts';
import { authorFor, bytesAtOnce, chooseFitting, type Entry, inOrder } from './thread.ts';

type CountRow = [dropId: string, state: CommentState, count: number];

export function createSqliteCommentStore(db: Database): CommentStore {
  const rows = commentRowsOf(db);
  const find = listsOf(db);
  const sql = {
    lastSeq: db.prepareTuples<[last: number | null]>('SELECT max(seq) FROM comments WHERE owner_id = ?'),
    setInLatest: db.prepare('UPDATE comments SET in_latest = ? WHERE id IN (SELECT value FROM json_each(?))'),
    noteSides: db.prepare(`
      UPDATE comments SET anchor = json_patch(anchor, ?)
      WHERE anchor IS NOT NULL AND id IN (SELECT value FROM json_each(?))`),
    marked: db.prepareTuples<[id: string]>(
      "SELECT id FROM comments INDEXED BY comments_marked WHERE drop_id = ? AND resolving <> '[]'",
    ),
    remove: db.prepare('DELETE FROM comments WHERE id = ?'),
    count: db.prepareTuples<CountRow>(`
      SELECT drop_id, state, count(*) FROM comments INDEXED BY comments_of_drop
      WHERE drop_id IN (SELECT value FROM json_each(?)) AND state IN ('open', 'held') GROUP BY drop_id, state`),
    ownersAfter: db.prepareTuples<[ownerId: string]>(
      'SELECT DISTINCT owner_id FROM comments INDEXED BY comments_by_seq WHERE seq > ?',
    ),
  };

  const lastSeq = (ownerId: string): number => sql.lastSeq.get(ownerId)?.[0] ?? 0;

  function count(dropIds: readonly string[]): Map<string, CommentCounts> {
    const counts = new Map<string, CommentCounts>();
    for (const [dropId, state, found] of sql.count.all(JSON.stringify(dropIds)))
      counts.set(dropId, { ...(counts.get(dropId) ?? { open: 0, held: 0 }), [state]: found });
    return counts;
  }

  function whole(id: string) {
    const thread = rows.findThread(id);
    return thread === null ? null : toComment(rows.withTexts(thread));
  }

  const readThreads = (ownerId: string, entries: readonly { id: string }[]): Thread[] =>
    entries.flatMap(({ id }) => rows.findThread(id) ?? []).filter((thread) => thread.ownerId === ownerId);

  return {
    ...createSqliteCommentChanges(db, rows, { lastSeq, count, whole }),

    find: async (id) => whole(id),

    findThread: async (id) => rows.findThread(id),

    async list(ownerId, query) {
      const { chosen, ...rest } = chooseFitting(query.found ?? find(ownerId, query), query);
      const threads = readThreads(ownerId, chosen).filter(({ state }) => query.states.includes(state));
      return { comments: threads.map((thread) => rows.withTexts(thread, query.lastReplies)), ...rest };
    },

    listThreads: async (ownerId, query) => readThreads(ownerId, find(ownerId, query).entries),

    lastSeq: async (ownerId) => lastSeq(ownerId),

    listMarked: async (dropId) => sql.marked.all(dropId).map(([id]) => id),

    setInLatest: async (ids, place) => {
      await db.write(() => sql.setInLatest.run(place, JSON.stringify(ids)));
    },

    noteSides: async (ids, areFound) => {
      const sides = areFound ? foundSides : noSides;
      await db.write(() => sql.noteSides.run(JSON.stringify(sides), JSON.stringify(ids)));
    },

    confirm: () => db.write(() => undefined),

    remove: (id) => db.write(() => sql.remove.run(id).changes > 0),

    countByDrop: async (dropIds) => count(dropIds),

    ownersAfter: async (seq) => sql.ownersAfter.all(seq).map(([ownerId]) => ownerId),

    ...deletionOf(db),
  };
}

type SmallRow = [id: string, seq: number, bytes: number, texts: number];
type EntryRow = [...SmallRow, updatedBy: string | null, otherSeq: number];

const smallColumns = 'id, seq, bytes, texts';

/** The lists of one state: each index has its order and the small columns. */
const indexes = {
  comments_of_owner: 'owner_id = $of',
  comments_of_drop: 'drop_id = $of',
  comments_of_author: 'drop_id = $of AND author_key = $author',
} as const;

/** What a query lists, without its texts. */
function listsOf(db: Database): (ownerId: string, query: CommentQuery) => FoundThreads {
  const prepare = (index: keyof typeof indexes, columns: string, order: 'ASC' | 'DESC') =>
    db.prepareTuples<EntryRow>(`
      SELECT ${columns} FROM comments INDEXED BY ${index}
      WHERE ${indexes[index]} AND state = $state AND seq > $after AND seq < $before ORDER BY seq ${order} LIMIT $limit`);
  const oneByOne = (index: keyof typeof indexes) => ({
    oldest: prepare(index, smallColumns, 'ASC'),
    newest: prepare(index, smallColumns, 'DESC'),
    news: prepare(index, `${smallColumns}, updated_by, other_seq`, 'ASC'),
  });
  const lists = {
    ofOwner: oneByOne('comments_of_owner'),
    ofDrop: oneByOne('comments_of_drop'),
    ofAuthor: oneByOne('comments_of_author'),
  };

  function listState(ownerId: string, query: CommentQuery, state: CommentState): Entry[] {
    const { dropId, after, before, limit } = query;
    const author = authorFor(query, state);
    if (author === undefined) return [];
    const index = author === null ? 'ofDrop' : 'ofAuthor';
    const list = dropId === null ? lists.ofOwner : lists[index];
    const order = before === undefined ? 'oldest' : 'newest';
    const bounds = { state, after, before: before ?? Number.MAX_SAFE_INTEGER, limit };
    const key = author === null || dropId === null ? {} : { author: textOf(author) };
    return list[query.newsFor === undefined ? order : 'news']
      .all({ ...bounds, ...key, of: dropId ?? ownerId })
      .map(([id, seq, bytes, texts, updatedBy = null, otherSeq = 0]) => ({
        id,
        seq,
        bytes,
        texts,
        updatedBy,
        otherSeq,
      }));
  }

  return (ownerId, query) =>
    inOrder(
      query.states.map((state) => listState(ownerId, query, state)),
      query,
    );
}

function textOf(author: AuthorKey): string {
  return 'guest' in author ? author.guest : author.accountId;
}

/** Deletes the comments on versions in writes of bounded size: a version may have 128 MB of them. */
function deletionOf(db: Database): Pick<CommentStore, 'delete' | 'listIds'> {
  const next = db.prepareTuples<[id: string, bytes: number]>(
    'SELECT id, bytes FROM comments INDEXED BY comments_by_version WHERE version_id = ? LIMIT 50',
  );
  const remove = db.prepare('DELETE FROM comments WHERE id = ?');

  async function deletePart(versionId: string): Promise<boolean> {
    let bytes = 0;
    const ids: string[] = [];
    for (const [id, size] of next.all(versionId)) {
      bytes += size;
      if (ids.length > 0 && bytes > bytesAtOnce) break;
      ids.push(id);
    }
    if (ids.length > 0)
      await db.write(() => {
        for (const id of ids) remove.run(id);
      });
    return ids.length > 0;
  }

  return {
    async delete(versionIds) {
      for (const versionId of versionIds) while (await deletePart(versionId));
    },
    listIds: blobIds(db, 'comments', 'version_id').listIds,
  };
}

import type { Database } from '../sqlite/database.ts';
import { blobIds, tableOf } from '../sqlite/table.ts';
import {
  type Comment,
  type CommentState,
  commentRecord,
  nextSeq,
  type UnnumberedComment,
} from './comment.ts';
import { type CommentCounts, type CommentStore, foundSides, noSides } from './comment-store.ts';

type CountRow = [dropId: string, state: CommentState, count: number];

export function createSqliteCommentStore(db: Database): CommentStore {
  const table = tableOf(db, commentRecord);
  const insert = table.inserting();
  const listed = (order: 'ASC' | 'DESC') => {
    const rest = `seq > $after AND seq < $before AND state IN (SELECT value FROM json_each($states)) ORDER BY seq ${order} LIMIT $limit`;
    return {
      ofOwner: table.list(`WHERE owner_id = $ownerId AND ${rest}`),
      ofDrop: table.list(
        `INDEXED BY comments_by_drop WHERE drop_id = $dropId AND owner_id = $ownerId AND ${rest}`,
      ),
    };
  };
  const sql = {
    find: table.find('WHERE id = ?'),
    oldestFirst: listed('ASC'),
    newestFirst: listed('DESC'),
    lastSeq: db.prepareTuples<[last: number | null]>('SELECT max(seq) FROM comments WHERE owner_id = ?'),
    seqOf: db.prepareTuples<[seq: number]>('SELECT seq FROM comments WHERE id = ?'),
    setInLatest: db.prepare('UPDATE comments SET in_latest = ? WHERE id IN (SELECT value FROM json_each(?))'),
    noteSides: db.prepare(`
      UPDATE comments SET anchor = json_patch(anchor, ?)
      WHERE anchor IS NOT NULL AND id IN (SELECT value FROM json_each(?))`),
    remove: db.prepare('DELETE FROM comments WHERE id = ?'),
    count: db.prepareTuples<CountRow>(`
      SELECT drop_id, state, count(*) FROM comments INDEXED BY comments_by_state
      WHERE drop_id IN (SELECT value FROM json_each(?)) AND state IN ('open', 'held') GROUP BY drop_id, state`),
    ownersAfter: db.prepareTuples<[ownerId: string]>(
      'SELECT DISTINCT owner_id FROM comments INDEXED BY comments_by_seq WHERE seq > ?',
    ),
  };

  const lastSeq = (ownerId: string): number => sql.lastSeq.get(ownerId)?.[0] ?? 0;

  /** To be called inside a write. */
  function store(comment: UnnumberedComment, now: number): Comment {
    const numbered = { ...comment, seq: nextSeq(lastSeq(comment.ownerId), now) };
    insert(numbered);
    return numbered;
  }

  function count(dropIds: readonly string[]): Map<string, CommentCounts> {
    const counts = new Map<string, CommentCounts>();
    for (const [dropId, state, found] of sql.count.all(JSON.stringify(dropIds)))
      counts.set(dropId, { ...(counts.get(dropId) ?? { open: 0, held: 0 }), [state]: found });
    return counts;
  }

  return {
    async insert(comment, now, caps) {
      const outcome = await db.write(() => {
        if (sql.seqOf.get(comment.id) !== undefined) return 'known';
        const { open = 0, held = 0 } = count([comment.dropId]).get(comment.dropId) ?? {};
        if (open + held >= caps.openPerDrop) return null;
        if (comment.state === 'held' && held >= caps.heldPerDrop) return null;
        return store(comment, now);
      });
      return outcome === 'known' ? sql.find(comment.id) : outcome;
    },

    find: sql.find,

    async list(ownerId, { dropId, states, after, before, limit }) {
      const { ofOwner, ofDrop } = before === undefined ? sql.oldestFirst : sql.newestFirst;
      const bounds = { after, before: before ?? Number.MAX_SAFE_INTEGER, limit };
      const values = { ownerId, ...bounds, states: JSON.stringify(states) };
      return dropId === null ? ofOwner(values) : ofDrop({ ...values, dropId });
    },

    lastSeq: async (ownerId) => lastSeq(ownerId),

    replace: (read, next, now) =>
      db.write(() => {
        if (sql.seqOf.get(read.id)?.[0] !== read.seq) return null;
        const seq = lastSeq(read.ownerId); // before its own is gone
        sql.remove.run(read.id);
        const numbered = { ...next, seq: nextSeq(seq, now) };
        insert(numbered);
        return numbered;
      }),

    setInLatest: async (ids, place) => {
      await db.write(() => sql.setInLatest.run(place, JSON.stringify(ids)));
    },

    noteSides: async (ids, areFound) => {
      const sides = areFound ? foundSides : noSides;
      await db.write(() => sql.noteSides.run(JSON.stringify(sides), JSON.stringify(ids)));
    },

    remove: (id) => db.write(() => sql.remove.run(id).changes > 0),

    countByDrop: async (dropIds) => count(dropIds),

    ownersAfter: async (seq) => sql.ownersAfter.all(seq).map(([ownerId]) => ownerId),

    ...blobIds(db, commentRecord.name, 'version_id'),
  };
}

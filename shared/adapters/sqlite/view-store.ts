import type { ViewStore } from '../../ports/view-store.ts';
import type { Database } from './database.ts';

/** `add` writes to drops and days itself: a write that fails has changed nothing, so flush numbers are not needed. */
export function createSqliteViewStore(db: Database): ViewStore {
  const sql = {
    addToDrop: db.prepare('UPDATE drops SET view_count = view_count + ? WHERE id = ?'),
    addToDay: db.prepare(`
      INSERT INTO day_views (drop_id, day, count, views_batch) SELECT id, ?, ?, 0 FROM drops WHERE id = ?
      ON CONFLICT (drop_id, day) DO UPDATE SET count = count + excluded.count`),
    listDays: db.prepareTuples('SELECT day, count FROM day_views WHERE drop_id = ? ORDER BY day'),
    listViewed: db.prepareTuples(
      'SELECT drop_id FROM day_views WHERE day = ? AND drop_id > ? ORDER BY drop_id LIMIT ?',
    ),
  };

  return {
    async add(_writer, _flush, counts) {
      await db.write(() => {
        for (const { dropId, day, count } of counts) {
          sql.addToDrop.run(count, dropId);
          sql.addToDay.run(day, count, dropId);
        }
      });
    },

    aggregate: async () => undefined,

    async listDays(dropId) {
      return new Map(sql.listDays.all(dropId) as [string, number][]); // proof: the columns selected
    },

    async listViewed(day, after, limit) {
      const rows = sql.listViewed.all(day, after, limit) as [string][]; // proof: the column selected
      return rows.map(([dropId]) => dropId);
    },
  };
}

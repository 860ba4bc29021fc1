import type { Database } from '../sqlite/database.ts';
import { removalOf } from '../sqlite/table.ts';
import type { ViewStore } from './view-store.ts';

/** `add` writes to drops and days itself: a write that fails has changed nothing, so flush numbers are not needed. */
export function createSqliteViewStore(db: Database): ViewStore {
  const sql = {
    addToDrop: db.prepare('UPDATE drops SET view_count = view_count + ? WHERE id = ?'),
    addToDay: db.prepare(`
      INSERT INTO day_views (drop_id, day, count, views_batch) SELECT id, ?, ?, 0 FROM drops WHERE id = ?
      ON CONFLICT (drop_id, day) DO UPDATE SET count = count + excluded.count`),
    listDays: db.prepareTuples<[day: string, views: number]>(
      'SELECT day, count FROM day_views WHERE drop_id = ? AND day >= ? ORDER BY day',
    ),
    listDaysOfDrops: db.prepareTuples<[dropId: string, days: string]>(`
      SELECT drop_id, json_group_array(json_array(day, count)) FROM day_views
      WHERE drop_id IN (SELECT value FROM json_each(?)) AND day IN (SELECT value FROM json_each(?))
      GROUP BY drop_id`),
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

    removeDaysBefore: removalOf(db, { name: 'day_views', key: ['dropId', 'day'] }, 'day < ?'),

    listDays: async (dropId, from = '') => new Map(sql.listDays.all(dropId, from)),

    async listDaysOfDrops(dropIds, days) {
      const rows = sql.listDaysOfDrops.all(JSON.stringify(dropIds), JSON.stringify(days));
      return new Map(rows.map(([dropId, counts]) => [dropId, new Map(JSON.parse(counts))]));
    },
  };
}

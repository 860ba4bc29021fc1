import type { ViewTotals } from '../../ports/view-totals.ts';
import type { Database } from './database.ts';
import { writeInSlices } from './write-in-slices.ts';

/** Small updates, some microseconds each. */
const addsInSlice = 250;

export function createSqliteViewTotals(db: Database): ViewTotals {
  const sql = {
    addToDrop: db.prepare(`
      UPDATE drops SET view_count = view_count + $count, views_batch = $batch
      WHERE id = $dropId AND views_batch < $batch`),
    addToDay: db.prepare(`
      INSERT INTO day_views (drop_id, day, count, views_batch)
      SELECT id, $day, $count, $batch FROM drops WHERE id = $dropId
      ON CONFLICT (drop_id, day) DO UPDATE SET count = count + excluded.count, views_batch = excluded.views_batch
      WHERE views_batch < excluded.views_batch`),
    listDays: db.prepareTuples('SELECT day, count FROM day_views WHERE drop_id = ? ORDER BY day'),
    listViewed: db.prepareTuples(
      'SELECT drop_id FROM day_views WHERE day = ? AND drop_id > ? ORDER BY drop_id LIMIT ?',
    ),
  };

  return {
    addToDrops(batch, counts) {
      const add = ({ dropId, count }: (typeof counts)[number]) => sql.addToDrop.run({ dropId, batch, count });
      return writeInSlices(db, counts, add, addsInSlice);
    },

    addToDays(batch, counts) {
      const add = ({ dropId, day, count }: (typeof counts)[number]) =>
        sql.addToDay.run({ dropId, day, batch, count });
      return writeInSlices(db, counts, add, addsInSlice);
    },

    async listDays(dropId) {
      return new Map(sql.listDays.all(dropId) as [string, number][]); // proof: the columns selected
    },

    async listViewed(day, after, limit) {
      const rows = sql.listViewed.all(day, after, limit) as [string][]; // proof: the column selected
      return rows.map(([dropId]) => dropId);
    },
  };
}

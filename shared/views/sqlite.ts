import type { Database } from '../sqlite/database.ts';
import { removalOf } from '../sqlite/table.ts';
import type { ViewCount, ViewStore } from './view-store.ts';

/** `add` writes to drops and days itself: a write that fails has changed nothing, so flush numbers are not needed. */
export class SqliteViews implements ViewStore {
  readonly removeDaysBefore: ViewStore['removeDaysBefore'];
  readonly #db: Database;
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: Database) {
    this.removeDaysBefore = removalOf(db, { name: 'day_views', key: ['dropId', 'day'] }, 'day < ?');
    this.#db = db;
    this.#sql = prepare(db);
  }

  async add(_writer: string, _flush: number, counts: readonly ViewCount[]): Promise<void> {
    await this.#db.write(() => {
      for (const { dropId, day, count } of counts) {
        this.#sql.addToDrop.run(count, dropId);
        this.#sql.addToDay.run(day, count, dropId);
      }
    });
  }

  async aggregate(_now: number): Promise<void> {
    // `add` has done it.
  }

  async listDays(dropId: string, from = ''): Promise<Map<string, number>> {
    return new Map(this.#sql.listDays.all(dropId, from));
  }

  async listDaysOfDrops(
    dropIds: readonly string[],
    days: readonly string[],
  ): Promise<Map<string, ReadonlyMap<string, number>>> {
    const rows = this.#sql.listDaysOfDrops.all(JSON.stringify(dropIds), JSON.stringify(days));
    return new Map(rows.map(([dropId, counts]) => [dropId, new Map(JSON.parse(counts))]));
  }
}

function prepare(db: Database) {
  return {
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
}

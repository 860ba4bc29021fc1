import type { ViewBatch, ViewCount, ViewCounter } from '../../ports/view-counter.ts';
import type { Database } from './database.ts';

/** Batch 0 is what was added since the last batch was opened. */
export function createSqliteViewCounter(db: Database): ViewCounter {
  const sql = {
    noteFlush: db.prepare(`
      INSERT INTO view_writers (writer, flush, heard_at) VALUES (?, ?, ?)
      ON CONFLICT (writer) DO UPDATE SET flush = excluded.flush, heard_at = excluded.heard_at
      WHERE flush < excluded.flush`),
    add: db.prepare(`
      INSERT INTO view_counts (batch, drop_id, day, count) VALUES (0, ?, ?, ?)
      ON CONFLICT DO UPDATE SET count = count + excluded.count`),
    isAnyAdded: db.prepare('SELECT 1 FROM view_counts WHERE batch = 0 LIMIT 1'),
    findOpen: db.prepareTuples('SELECT number FROM view_batch WHERE is_open'),
    open: db.prepareTuples(`
      UPDATE view_batch SET number = max(number + 1, ?), is_open = 1 WHERE NOT is_open RETURNING number`),
    fill: db.prepare('UPDATE view_counts SET batch = ? WHERE batch = 0'),
    listCounts: db.prepare('SELECT drop_id AS dropId, day, count FROM view_counts WHERE batch = ?'),
    close: db.prepare('UPDATE view_batch SET is_open = 0 WHERE number = ? AND is_open'),
    empty: db.prepare('DELETE FROM view_counts WHERE batch = ?'),
    forgetWriters: db.prepare('DELETE FROM view_writers WHERE heard_at < ?'),
  };

  function findOpen(): number | null {
    const row = sql.findOpen.get() as [number] | undefined; // proof: the column selected
    return row?.[0] ?? null;
  }

  function isAnyAdded(): boolean {
    return sql.isAnyAdded.get() !== undefined;
  }

  function open(now: number): number {
    const [number] = sql.open.get(now) as [number]; // proof: the one row, which is not open
    sql.fill.run(number);
    return number;
  }

  function openBatch(now: number): ViewBatch | null {
    let number = findOpen();
    if (number === null && isAnyAdded()) number = open(now);
    if (number === null) return null;
    return { number, counts: sql.listCounts.all(number) as ViewCount[] }; // proof: the columns selected
  }

  return {
    async add(writer, flush, counts, now) {
      await db.write(() => {
        if (sql.noteFlush.run(writer, flush, now).changes === 0) return;
        for (const { dropId, day, count } of counts) sql.add.run(dropId, day, count);
      });
    },

    async openBatch(now) {
      if (findOpen() === null && !isAnyAdded()) return null; // as it mostly is: nothing to write
      return db.write(() => openBatch(now));
    },

    async closeBatch(number) {
      await db.write(() => {
        if (sql.close.run(number).changes > 0) sql.empty.run(number);
      });
    },

    async forgetWriters(before) {
      await db.write(() => sql.forgetWriters.run(before));
    },
  };
}

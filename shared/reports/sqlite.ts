import type { Database } from '../sqlite/database.ts';
import { removalOf, tableOf } from '../sqlite/table.ts';
import { type ReportedPage, reportRecord } from './report.ts';
import type { ReportStore } from './report-store.ts';

const isOpen = 'closed_at IS NULL';

/** Position before the first report of a list. */
const start = { createdAt: Number.MAX_SAFE_INTEGER, id: '' };

type PageRow = Omit<ReportedPage, 'reasons'> & { readonly reasons: string; readonly total: number };

export function createSqliteReportStore(db: Database): ReportStore {
  const table = tableOf(db, reportRecord);
  const insert = table.inserting();

  function prepareList(...conditions: readonly string[]) {
    // The first condition finds the position in the index; the second skips reports of the same time.
    const isAfter = 'created_at <= $createdAt AND (created_at < $createdAt OR id > $id)';
    return table.list(
      `WHERE ${[...conditions, isAfter].join(' AND ')} ORDER BY created_at DESC, id LIMIT $limit`,
    );
  }

  const sql = {
    isKnown: db.prepareTuples('SELECT 1 FROM reports WHERE id = ?'),
    hasRoom: db.prepareTuples<[hasRoom: number]>(
      `SELECT count(*) < ? FROM reports WHERE ${isOpen} AND drop_id = ?`,
    ),
    countOpen: db.prepareTuples<[count: number]>(
      `SELECT count(*) FROM (SELECT 1 FROM reports WHERE ${isOpen} AND created_at >= 0 LIMIT ?)`,
    ),
    listOpen: prepareList(isOpen),
    listAll: prepareList(),
    listOpenOfPage: prepareList(isOpen, 'slug = $slug'),
    listAllOfPage: prepareList('slug = $slug'),
    listPages: db.prepare<PageRow>(`
      WITH by_reason AS (
        SELECT slug, reason, count(*) AS count, min(created_at) AS first, max(created_at) AS newest
        FROM reports WHERE ${isOpen} GROUP BY slug, reason)
      SELECT slug, sum(count) AS open, min(first) AS first, max(newest) AS newest,
        json_group_array(json_array(reason, count) ORDER BY count DESC, reason) AS reasons,
        count(*) OVER () AS total
      FROM by_reason GROUP BY slug ORDER BY open DESC, newest DESC, slug LIMIT ?`),
    close: db.prepare(`UPDATE reports SET closed_at = ? WHERE id = ? AND ${isOpen}`),
    closeByPage: db.prepare(`UPDATE reports SET closed_at = ? WHERE slug = ? AND ${isOpen}`),
  };

  const countOpen = (atMost: number) => sql.countOpen.get(atMost)?.[0] ?? 0;

  return {
    countOpen: async (atMost) => countOpen(atMost),

    insert(report, cap, capOfAll) {
      return db.write(() => {
        if (sql.isKnown.get(report.id) !== undefined) return 'known';
        if (sql.hasRoom.get(cap, report.dropId)?.[0] !== 1) return 'full';
        if (countOpen(capOfAll) >= capOfAll) return 'all_full';
        insert({ ...report, closedAt: null });
        return 'inserted';
      });
    },

    find: table.find('WHERE id = ?'),

    list({ withClosed, slug, before, limit }) {
      const { createdAt, id } = before ?? start;
      const values = { createdAt, id, limit };
      return slug === null
        ? (withClosed ? sql.listAll : sql.listOpen)(values)
        : (withClosed ? sql.listAllOfPage : sql.listOpenOfPage)({ ...values, slug });
    },

    async listPages(limit) {
      const rows = sql.listPages.all(limit);
      const pages = rows.map(({ total: _, reasons, ...page }) => ({ ...page, reasons: JSON.parse(reasons) }));
      return { pages, others: (rows[0]?.total ?? 0) - pages.length };
    },

    close: (id, now) => db.write(() => sql.close.run(now, id).changes > 0),

    closeByPage: (slug, now) => db.write(() => sql.closeByPage.run(now, slug).changes),

    removeClosedBefore: removalOf(db, reportRecord, 'closed_at < ?'),
  };
}

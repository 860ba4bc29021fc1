import type { Report, ReportedPage } from '../../domain/report.ts';
import type { ReportStore } from '../../ports/report-store.ts';
import type { Database } from './database.ts';

export const reportColumns = `
  id, drop_id AS dropId, slug, version, reason, text, contact, created_at AS createdAt, closed_at AS closedAt`;

const isOpen = 'closed_at IS NULL';

/** Position before the first report of a list. */
const start = { createdAt: Number.MAX_SAFE_INTEGER, id: '' };

type PageRow = Omit<ReportedPage, 'reasons'> & { readonly reasons: string; readonly total: number };

export function createSqliteReportStore(db: Database): ReportStore {
  function prepareList(...conditions: readonly string[]) {
    // The first condition finds the position in the index; the second skips reports of the same time.
    const isAfter = 'created_at <= $createdAt AND (created_at < $createdAt OR id > $id)';
    return db.prepare(`
      SELECT ${reportColumns} FROM reports WHERE ${[...conditions, isAfter].join(' AND ')}
      ORDER BY created_at DESC, id LIMIT $limit`);
  }

  const sql = {
    isKnown: db.prepareTuples('SELECT 1 FROM reports WHERE id = ?'),
    countOfDrop: db.prepareTuples(`SELECT count(*) FROM reports WHERE ${isOpen} AND drop_id = ?`),
    insert: db.prepare(`
      INSERT INTO reports (id, drop_id, slug, version, reason, text, contact, created_at)
      VALUES ($id, $dropId, $slug, $version, $reason, $text, $contact, $createdAt)`),
    find: db.prepare(`SELECT ${reportColumns} FROM reports WHERE id = ?`),
    listOpen: prepareList(isOpen),
    listAll: prepareList(),
    listOpenOfPage: prepareList(isOpen, 'slug = $slug'),
    listAllOfPage: prepareList('slug = $slug'),
    listPages: db.prepare(`
      WITH by_reason AS (
        SELECT slug, reason, count(*) AS count, min(created_at) AS first, max(created_at) AS newest
        FROM reports WHERE ${isOpen} GROUP BY slug, reason)
      SELECT slug, sum(count) AS open, min(first) AS first, max(newest) AS newest,
        json_group_array(json_array(reason, count) ORDER BY count DESC, reason) AS reasons,
        count(*) OVER () AS total
      FROM by_reason GROUP BY slug ORDER BY open DESC, newest DESC, slug LIMIT ?`),
    close: db.prepare(`UPDATE reports SET closed_at = ? WHERE id = ? AND ${isOpen}`),
    closeByPage: db.prepare(`UPDATE reports SET closed_at = ? WHERE slug = ? AND ${isOpen}`),
    isAnyOld: db.prepareTuples('SELECT 1 FROM reports WHERE closed_at < ? LIMIT 1'),
    remove: db.prepare('DELETE FROM reports WHERE closed_at < ?'),
  };

  return {
    insert({ id, dropId, slug, version, reason, text, contact, createdAt }, cap) {
      return db.write(() => {
        if (sql.isKnown.get(id) !== undefined) return 'known';
        const [count] = sql.countOfDrop.get(dropId) as [number]; // proof: an aggregate always has one row
        if (count >= cap) return 'full';
        sql.insert.run({ id, dropId, slug, version, reason, text, contact, createdAt });
        return 'inserted';
      });
    },

    async find(id) {
      return (sql.find.get(id) ?? null) as Report | null; // proof: `reportColumns`
    },

    async list({ withClosed, slug, before, limit }) {
      const { createdAt, id } = before ?? start;
      const values = { createdAt, id, limit };
      const found =
        slug === null
          ? (withClosed ? sql.listAll : sql.listOpen).all(values)
          : (withClosed ? sql.listAllOfPage : sql.listOpenOfPage).all({ ...values, slug });
      return found as Report[]; // proof: `reportColumns`
    },

    async listPages(limit) {
      const rows = sql.listPages.all(limit) as PageRow[]; // proof: the columns selected
      const pages = rows.map(({ total: _, reasons, ...page }) => ({ ...page, reasons: JSON.parse(reasons) }));
      return { pages, others: (rows[0]?.total ?? 0) - pages.length };
    },

    close(id, now) {
      return db.write(() => sql.close.run(now, id).changes > 0);
    },

    closeByPage(slug, now) {
      return db.write(() => sql.closeByPage.run(now, slug).changes);
    },

    // The job calls this often, and mostly there is nothing to remove: no write then.
    async removeClosedBefore(before) {
      if (sql.isAnyOld.get(before) === undefined) return;
      await db.write(() => sql.remove.run(before));
    },
  };
}

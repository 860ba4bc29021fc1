import type { Database } from '../sqlite/database.ts';
import { removalOf, tableOf } from '../sqlite/table.ts';
import { type Report, type ReportedPage, reportRecord } from './report.ts';
import type { NewReport, ReportQuery, ReportStore } from './report-store.ts';

const isOpen = 'closed_at IS NULL';

/** Position before the first report of a list. */
const start = { createdAt: Number.MAX_SAFE_INTEGER, id: '' };

type PageRow = Omit<ReportedPage, 'reasons'> & { readonly reasons: string; readonly total: number };

export class SqliteReports implements ReportStore {
  readonly find: ReportStore['find'];
  readonly removeClosedBefore: ReportStore['removeClosedBefore'];
  readonly #db: Database;
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: Database) {
    this.find = tableOf(db, reportRecord).find('WHERE id = ?');
    this.removeClosedBefore = removalOf(db, reportRecord, 'closed_at < ?');
    this.#db = db;
    this.#sql = prepare(db);
  }

  async countOpen(atMost: number): Promise<number> {
    return this.#countOpen(atMost);
  }

  insert(report: NewReport, cap: number, capOfAll: number): ReturnType<ReportStore['insert']> {
    return this.#db.write(() => {
      if (this.#sql.isKnown.get(report.id) !== undefined) return 'known';
      if (this.#sql.hasRoom.get(cap, report.dropId)?.[0] !== 1) return 'full';
      if (this.#countOpen(capOfAll) >= capOfAll) return 'all_full';
      this.#sql.insert({ ...report, closedAt: null });
      return 'inserted';
    });
  }

  list({ withClosed, slug, before, limit }: ReportQuery): Promise<Report[]> {
    const { createdAt, id } = before ?? start;
    const values = { createdAt, id, limit };
    if (slug === null) return withClosed ? this.#sql.listAll(values) : this.#sql.listOpen(values);
    const ofPage = { ...values, slug };
    return withClosed ? this.#sql.listAllOfPage(ofPage) : this.#sql.listOpenOfPage(ofPage);
  }

  async listPages(limit: number): Promise<{ pages: ReportedPage[]; others: number }> {
    const rows = this.#sql.listPages.all(limit);
    const pages = rows.map(({ total: _, reasons, ...page }) => ({ ...page, reasons: JSON.parse(reasons) }));
    return { pages, others: (rows[0]?.total ?? 0) - pages.length };
  }

  close(id: string, now: number): Promise<boolean> {
    return this.#db.write(() => this.#sql.close.run(now, id).changes > 0);
  }

  closeByPage(slug: string, now: number): Promise<number> {
    return this.#db.write(() => this.#sql.closeByPage.run(now, slug).changes);
  }

  #countOpen(atMost: number): number {
    return this.#sql.countOpen.get(atMost)?.[0] ?? 0;
  }
}

function prepare(db: Database) {
  const table = tableOf(db, reportRecord);
  function prepareList(...conditions: readonly string[]) {
    // The first condition finds the position in the index; the second skips reports of the same time.
    const isAfter = 'created_at <= $createdAt AND (created_at < $createdAt OR id > $id)';
    return table.list(
      `WHERE ${[...conditions, isAfter].join(' AND ')} ORDER BY created_at DESC, id LIMIT $limit`,
    );
  }

  return {
    insert: table.inserting(),
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
}

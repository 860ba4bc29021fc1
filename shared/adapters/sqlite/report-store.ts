import type { Report } from '../../domain/report.ts';
import type { ReportStore } from '../../ports/report-store.ts';
import type { Database } from './database.ts';

const columns = `
  id, drop_id AS dropId, slug, version, reason, text, contact, created_at AS createdAt, closed_at AS closedAt`;

export function createSqliteReportStore(db: Database): ReportStore {
  const open = 'FROM reports WHERE closed_at IS NULL';
  const sql = {
    isKnown: db.prepareTuples('SELECT 1 FROM reports WHERE id = ?'),
    countOfDrop: db.prepareTuples(`SELECT count(*) ${open} AND drop_id = ?`),
    insert: db.prepare(`
      INSERT INTO reports (id, drop_id, slug, version, reason, text, contact, created_at)
      VALUES ($id, $dropId, $slug, $version, $reason, $text, $contact, $createdAt)`),
    find: db.prepare(`SELECT ${columns} FROM reports WHERE id = ?`),
    listOpen: db.prepare(`SELECT ${columns} ${open} ORDER BY created_at DESC, id LIMIT ?`),
    listAll: db.prepare(`SELECT ${columns} FROM reports ORDER BY created_at DESC, id LIMIT ?`),
    countOpen: db.prepareTuples(`SELECT count(*) ${open}`),
    countAll: db.prepareTuples('SELECT count(*) FROM reports'),
    close: db.prepare('UPDATE reports SET closed_at = ? WHERE id = ? AND closed_at IS NULL'),
    isAnyOld: db.prepareTuples('SELECT 1 FROM reports WHERE closed_at < ? LIMIT 1'),
    remove: db.prepare('DELETE FROM reports WHERE closed_at < ?'),
  };

  return {
    insert({ id, dropId, slug, version, reason, text, contact, createdAt }, cap) {
      return db.write(() => {
        if (sql.isKnown.get(id) !== undefined) return 'known';
        const [count] = sql.countOfDrop.get(dropId) as [number]; // proof: an aggregate has always its one row
        if (count >= cap) return 'full';
        sql.insert.run({ id, dropId, slug, version, reason, text, contact, createdAt });
        return 'inserted';
      });
    },

    async find(id) {
      return (sql.find.get(id) ?? null) as Report | null; // proof: `columns`
    },

    async list({ withClosed, limit }) {
      return (withClosed ? sql.listAll : sql.listOpen).all(limit) as Report[]; // proof: `columns`
    },

    async count({ withClosed }) {
      const [count] = (withClosed ? sql.countAll : sql.countOpen).get() as [number]; // proof: see above
      return count;
    },

    close(id, now) {
      return db.write(() => sql.close.run(now, id).changes > 0);
    },

    // The job asks often and mostly in vain, so it looks before it writes.
    async removeClosedBefore(before) {
      if (sql.isAnyOld.get(before) === undefined) return;
      await db.write(() => sql.remove.run(before));
    },
  };
}

import type { Report, ReportFact } from '../../domain/report.ts';
import type { ReportStore } from '../../ports/report-store.ts';
import type { Database } from './database.ts';

const columns = `
  id, drop_id AS dropId, slug, version, reason, text, contact, created_at AS createdAt, closed_at AS closedAt`;

/** Before all places of a list. */
const newest = { createdAt: Number.MAX_SAFE_INTEGER, id: '' };
const firstPage = { ...newest, slug: '' };

export function createSqliteReportStore(db: Database): ReportStore {
  const isOpen = 'closed_at IS NULL';
  const ofPage = 'slug = $slug';
  // The first condition finds the place in the index; the second passes over those of the same time.
  const isBehind = 'created_at <= $createdAt AND (created_at < $createdAt OR id > $id)';

  function prepareList(...conditions: readonly string[]) {
    return db.prepare(`
      SELECT ${columns} FROM reports WHERE ${[...conditions, isBehind].join(' AND ')}
      ORDER BY created_at DESC, id LIMIT $limit`);
  }

  const sql = {
    isKnown: db.prepareTuples('SELECT 1 FROM reports WHERE id = ?'),
    countOfDrop: db.prepareTuples(`SELECT count(*) FROM reports WHERE ${isOpen} AND drop_id = ?`),
    insert: db.prepare(`
      INSERT INTO reports (id, drop_id, slug, version, reason, text, contact, created_at)
      VALUES ($id, $dropId, $slug, $version, $reason, $text, $contact, $createdAt)`),
    find: db.prepare(`SELECT ${columns} FROM reports WHERE id = ?`),
    listOpen: prepareList(isOpen),
    listAll: prepareList(),
    listOpenOfPage: prepareList(isOpen, ofPage),
    listAllOfPage: prepareList(ofPage),
    listOpenByPage: db.prepare(`
      SELECT id, slug, reason, created_at AS createdAt FROM reports
      WHERE ${isOpen} AND slug >= $slug AND (slug > $slug OR (${isBehind}))
      ORDER BY slug, created_at DESC, id LIMIT $limit`),
    close: db.prepare(`UPDATE reports SET closed_at = ? WHERE id = ? AND ${isOpen}`),
    closeOfPage: db.prepare(`
      UPDATE reports SET closed_at = $now WHERE id IN (
        SELECT id FROM reports WHERE ${isOpen} AND ${ofPage} ORDER BY created_at DESC, id LIMIT $limit)`),
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

    async list({ withClosed, slug, before, limit }) {
      const { createdAt, id } = before ?? newest;
      const place = { createdAt, id, limit };
      const found =
        slug === null
          ? (withClosed ? sql.listAll : sql.listOpen).all(place)
          : (withClosed ? sql.listAllOfPage : sql.listOpenOfPage).all({ ...place, slug });
      return found as Report[]; // proof: `columns`
    },

    async listOpenByPage(after, limit) {
      const { slug, createdAt, id } = after ?? firstPage;
      return sql.listOpenByPage.all({ slug, createdAt, id, limit }) as ReportFact[]; // proof: the columns selected
    },

    close(id, now) {
      return db.write(() => sql.close.run(now, id).changes > 0);
    },

    closeOfPage(slug, now, limit) {
      return db.write(() => sql.closeOfPage.run({ slug, now, limit }).changes);
    },

    // The job asks often and mostly in vain, so it looks before it writes.
    async removeClosedBefore(before) {
      if (sql.isAnyOld.get(before) === undefined) return;
      await db.write(() => sql.remove.run(before));
    },
  };
}

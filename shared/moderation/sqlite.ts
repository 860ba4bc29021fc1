import type { Database } from '../sqlite/database.ts';
import { tableOf } from '../sqlite/table.ts';
import { auditRecord } from './act.ts';
import type { AuditLog } from './moderation-store.ts';

/** BY is a word of SQL. */
export const auditColumns = { by: 'by_whom' };

export function createSqliteAuditLog(db: Database): AuditLog {
  const table = tableOf(db, auditRecord, auditColumns);
  const insert = table.inserting();
  const end = db.prepare('UPDATE audit_log SET outcome = ?, ended_at = ? WHERE id = ? AND outcome IS NULL');
  const list = table.list('WHERE $before IS NULL OR id < $before ORDER BY id DESC LIMIT $limit');

  return {
    async begin(entry) {
      await db.write(() => insert({ ...entry, outcome: null, endedAt: null }));
    },

    end: (id, outcome, now) => db.write(() => end.run(outcome, now, id).changes > 0),

    list: (before, limit) => list({ before, limit }),
  };
}

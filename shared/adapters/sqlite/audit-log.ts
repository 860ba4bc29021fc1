import type { AuditEntry } from '../../domain/moderation.ts';
import type { AuditLog } from '../../ports/audit-log.ts';
import type { Database } from './database.ts';

export const auditColumns = 'id, at, by_whom AS "by", act, target, reason, outcome, ended_at AS endedAt';

export function createSqliteAuditLog(db: Database): AuditLog {
  const sql = {
    begin: db.prepare(`
      INSERT INTO audit_log (id, at, by_whom, act, target, reason)
      VALUES ($id, $at, $by, $act, $target, $reason)`),
    end: db.prepare('UPDATE audit_log SET outcome = ?, ended_at = ? WHERE id = ? AND outcome IS NULL'),
    list: db.prepare(`
      SELECT ${auditColumns} FROM audit_log
      WHERE $before IS NULL OR id < $before ORDER BY id DESC LIMIT $limit`),
  };

  return {
    async begin({ id, at, by, act, target, reason }) {
      await db.write(() => sql.begin.run({ id, at, by, act, target, reason }));
    },

    end(id, outcome, now) {
      return db.write(() => sql.end.run(outcome, now, id).changes > 0);
    },

    async list(before, limit) {
      return sql.list.all({ before, limit }) as AuditEntry[]; // proof: the columns selected
    },
  };
}

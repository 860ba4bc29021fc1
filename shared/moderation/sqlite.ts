import { idAt } from '../domain/ids.ts';
import type { Database } from '../sqlite/database.ts';
import { changeInParts, tableOf } from '../sqlite/table.ts';
import { auditRecord } from './act.ts';
import type { AuditLog } from './moderation-store.ts';

/** BY is a word of SQL. */
export const auditColumns = { by: 'by_whom' };

export function createSqliteAuditLog(db: Database): AuditLog {
  const table = tableOf(db, auditRecord, auditColumns);
  const insert = table.inserting();
  const end = db.prepare('UPDATE audit_log SET outcome = ?, ended_at = ? WHERE id = ? AND outcome IS NULL');
  const list = table.list('WHERE $before IS NULL OR id < $before ORDER BY id DESC LIMIT $limit');

  const isBefore = 'id < $id AND at < $time'; // ids begin with the time
  const isAnyBefore = db.prepare(`SELECT 1 FROM audit_log WHERE ${isBefore} LIMIT 1`);
  // A trigger refuses every other removal.
  const beginSweep = db.prepare('INSERT INTO audit_sweeps (before) VALUES (?)');
  const remove = db.prepare(`
    DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE ${isBefore} LIMIT $limit)`);
  const endSweep = db.prepare('DELETE FROM audit_sweeps');

  return {
    async removeBefore(time) {
      const values = { id: idAt(time), time };
      if (isAnyBefore.get(values) === undefined) return;
      await changeInParts(db, (limit) => {
        beginSweep.run(time);
        const { changes } = remove.run({ ...values, limit });
        endSweep.run();
        return changes;
      });
    },

    async begin(entry) {
      await db.write(() => insert({ ...entry, outcome: null, endedAt: null }));
    },

    end: (id, outcome, now) => db.write(() => end.run(outcome, now, id).changes > 0),

    list: (before, limit) => list({ before, limit }),
  };
}

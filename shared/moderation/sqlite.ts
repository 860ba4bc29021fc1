import { idAt } from '../domain/ids.ts';
import type { Database } from '../sqlite/database.ts';
import { changeInParts, tableOf } from '../sqlite/table.ts';
import { type AuditEntry, auditRecord } from './act.ts';
import type { AuditLog } from './moderation-store.ts';

/** BY is a word of SQL. */
export const auditColumns = { by: 'by_whom' };

/** Acts of operators, whose ids ascend with time. */
export class SqliteAuditLog implements AuditLog {
  readonly #db: Database;
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: Database) {
    this.#db = db;
    this.#sql = prepare(db);
  }

  async begin(entry: Omit<AuditEntry, 'outcome' | 'endedAt'>): Promise<void> {
    await this.#db.write(() => this.#sql.insert({ ...entry, outcome: null, endedAt: null }));
  }

  end(id: string, outcome: string, now: number): Promise<boolean> {
    return this.#db.write(() => this.#sql.end.run(outcome, now, id).changes > 0);
  }

  async removeBefore(time: number): Promise<void> {
    const values = { id: idAt(time), time };
    if (this.#sql.isAnyBefore.get(values) === undefined) return;
    await changeInParts(this.#db, (limit) => {
      this.#sql.beginSweep.run(time);
      const { changes } = this.#sql.remove.run({ ...values, limit });
      this.#sql.endSweep.run();
      return changes;
    });
  }

  list(before: string | null, limit: number): Promise<AuditEntry[]> {
    return this.#sql.list({ before, limit });
  }
}

function prepare(db: Database) {
  const table = tableOf(db, auditRecord, auditColumns);
  const isBefore = 'id < $id AND at < $time'; // ids begin with the time
  return {
    insert: table.inserting(),
    end: db.prepare('UPDATE audit_log SET outcome = ?, ended_at = ? WHERE id = ? AND outcome IS NULL'),
    list: table.list('WHERE $before IS NULL OR id < $before ORDER BY id DESC LIMIT $limit'),
    isAnyBefore: db.prepare(`SELECT 1 FROM audit_log WHERE ${isBefore} LIMIT 1`),
    // A trigger refuses every other removal.
    beginSweep: db.prepare('INSERT INTO audit_sweeps (before) VALUES (?)'),
    remove: db.prepare(`
      DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE ${isBefore} LIMIT $limit)`),
    endSweep: db.prepare('DELETE FROM audit_sweeps'),
  };
}

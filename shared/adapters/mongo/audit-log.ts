import { type Connection, Schema } from 'mongoose';
import type { Act, AuditEntry } from '../../domain/moderation.ts';
import type { AuditLog } from '../../ports/audit-log.ts';
import { answerMs } from './connection.ts';
import { withTimeLimit } from './errors.ts';

export interface AuditDocument {
  readonly _id: string;
  readonly at: number;
  readonly by: string;
  readonly act: Act;
  readonly target: string;
  readonly reason: string | null;
  /** null: the act has begun; its result is unknown. */
  readonly outcome: string | null;
  readonly ended_at: number | null;
}

const schema = new Schema<AuditDocument>(
  {
    _id: String,
    at: Number,
    by: String,
    act: String,
    target: String,
    reason: String,
    outcome: String,
    ended_at: Number,
  },
  { collection: 'audit_log', versionKey: false, autoIndex: false, autoCreate: false },
);

export function auditModel(connection: Connection) {
  return connection.model('AuditEntry', schema);
}

export function createMongoAuditLog(connection: Connection): AuditLog {
  const entries = auditModel(connection);

  return withTimeLimit<AuditLog>(answerMs(connection), {
    async begin({ id, ...entry }) {
      await entries.create({ _id: id, ...entry, outcome: null, ended_at: null });
    },

    async end(id, outcome, now) {
      const { matchedCount } = await entries.updateOne(
        { _id: id, outcome: null },
        { $set: { outcome, ended_at: now } },
      );
      return matchedCount > 0;
    },

    async list(before, limit) {
      const filter = before === null ? {} : { _id: { $lt: before } };
      const found = await entries.find(filter).sort({ _id: -1 }).limit(limit).hint('_id_').lean();
      return found.map(toEntry);
    },
  });
}

export function toEntry({ _id, ended_at, ...entry }: AuditDocument): AuditEntry {
  return { id: _id, ...entry, endedAt: ended_at };
}

import type { Connection } from 'mongoose';
import { collectionOf } from '../mongo/collection.ts';
import { forRequests } from '../mongo/errors.ts';
import { auditRecord } from './act.ts';
import type { AuditLog } from './audit-log.ts';

const auditCollection = collectionOf(auditRecord);

export function createMongoAuditLog(connection: Connection): AuditLog {
  const entries = auditCollection.in(connection);

  return forRequests<AuditLog>(connection, {
    async begin(entry) {
      await entries.create(auditCollection.toDocument({ ...entry, outcome: null, endedAt: null }));
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
      return found.map(auditCollection.toRecord);
    },
  });
}

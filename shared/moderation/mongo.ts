import type { Connection } from 'mongoose';
import { collectionOf } from '../mongo/collection.ts';
import { forRequests } from '../mongo/errors.ts';
import { auditRecord } from './act.ts';
import type { AuditLog } from './moderation-store.ts';

const auditCollection = collectionOf(auditRecord);

export function createMongoAuditLog(connection: Connection): AuditLog {
  const entries = auditCollection.in(connection);

  return forRequests<AuditLog>(connection, {
    begin: (entry) => entries.insert({ ...entry, outcome: null, endedAt: null }),

    end: (id, outcome, now) =>
      entries.update({ _id: id, outcome: null }, { $set: { outcome, ended_at: now } }),

    list(before, limit) {
      const filter = before === null ? {} : { _id: { $lt: before } };
      return entries.list(filter, { sort: { _id: -1 }, limit, hint: '_id_' });
    },
  });
}

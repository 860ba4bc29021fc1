import type { Connection } from 'mongoose';
import { idAt } from '../domain/ids.ts';
import { collectionOf } from '../mongo/collection.ts';
import { forRequests, inBackground } from '../mongo/errors.ts';
import { inParts } from '../util/in-parts.ts';
import { auditRecord } from './act.ts';
import type { AuditLog } from './moderation-store.ts';

const removedAtOnce = 500;

const auditCollection = collectionOf(auditRecord);

export function createMongoAuditLog(connection: Connection): AuditLog {
  const entries = auditCollection.in(connection);

  const { removeBefore } = inBackground(connection, {
    async removeBefore(time: number) {
      const isBefore = { _id: { $lt: idAt(time) }, at: { $lt: time } };
      await inParts(removedAtOnce, (limit) => entries.removeSome(isBefore, limit));
    },
  });
  const methods = forRequests<Omit<AuditLog, 'removeBefore'>>(connection, {
    begin: (entry) => entries.insert({ ...entry, outcome: null, endedAt: null }),

    end: (id, outcome, now) =>
      entries.update({ _id: id, outcome: null }, { $set: { outcome, ended_at: now } }),

    list(before, limit) {
      const filter = before === null ? {} : { _id: { $lt: before } };
      return entries.list(filter, { sort: { _id: -1 }, limit, hint: '_id_' });
    },
  });
  return { ...methods, removeBefore };
}

import type { Connection } from 'mongoose';
import { idAt } from '../domain/ids.ts';
import { collectionOf } from '../mongo/collection.ts';
import { inParts } from '../util/in-parts.ts';
import { type AuditEntry, auditRecord } from './act.ts';
import type { AuditLog } from './moderation-store.ts';

const removedAtOnce = 500;

const auditCollection = collectionOf(auditRecord);

/** Acts of operators, whose ids ascend with time. `mongo/stores.ts` sets the time limits of the calls. */
export class MongoAuditLog implements AuditLog {
  readonly #entries;

  constructor(connection: Connection) {
    this.#entries = auditCollection.in(connection);
  }

  begin(entry: Omit<AuditEntry, 'outcome' | 'endedAt'>): Promise<void> {
    return this.#entries.insert({ ...entry, outcome: null, endedAt: null });
  }

  end(id: string, outcome: string, now: number): Promise<boolean> {
    return this.#entries.update({ _id: id, outcome: null }, { $set: { outcome, ended_at: now } });
  }

  async removeBefore(time: number): Promise<void> {
    const isBefore = { _id: { $lt: idAt(time) }, at: { $lt: time } };
    await inParts(removedAtOnce, (limit) => this.#entries.removeSome(isBefore, limit));
  }

  list(before: string | null, limit: number): Promise<AuditEntry[]> {
    const filter = before === null ? {} : { _id: { $lt: before } };
    return this.#entries.list(filter, { sort: { _id: -1 }, limit, hint: '_id_' });
  }
}

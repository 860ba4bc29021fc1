import type { Connection } from 'mongoose';
import { sessionIdOf, sessionRecord } from '../../domain/session.ts';
import type { SessionStore } from '../../ports/session-store.ts';
import { type AccountDocument, liveAccountOf, lookUpAccount } from './account-store.ts';
import { collectionOf, type DocumentOf } from './collection.ts';
import { answerMs } from './connection.ts';
import { withTimeLimit } from './errors.ts';

/** The first characters of a hash are the id, so that the index of ids finds hashes too. */
const collection = collectionOf(
  sessionRecord,
  ['sessions_account', { account_id: 1, created_at: -1, _id: 1 }],
  ['sessions_use', { last_used_at: 1 }],
);

type Found = DocumentOf<typeof sessionRecord> & { readonly account: readonly AccountDocument[] };

export function createMongoSessionStore(connection: Connection): SessionStore {
  const sessions = collection.in(connection);
  const { toDocument, toRecord } = collection;

  return withTimeLimit<SessionStore>(answerMs(connection), {
    async insert(session) {
      await sessions.create(toDocument(session));
    },

    async findByHash(hash) {
      const [found] = await sessions.aggregate<Found>([
        { $match: { _id: sessionIdOf(hash), hash } },
        lookUpAccount,
      ]);
      const account = liveAccountOf(found);
      if (found === undefined || account === null) return null;
      const { name, suspendedAt } = account;
      return { session: toRecord(found), account: { name, isSuspended: suspendedAt !== null } };
    },

    async list(accountId, limit) {
      const found = await sessions
        .find({ account_id: accountId })
        .sort({ created_at: -1, _id: 1 })
        .limit(limit)
        .lean();
      return found.map(toRecord);
    },

    async end(accountId, sessionId) {
      return (await sessions.deleteMany({ _id: sessionId, account_id: accountId })).deletedCount > 0;
    },

    async endAll(accountId, exceptId) {
      const ended = { account_id: accountId, ...(exceptId !== null && { _id: { $ne: exceptId } }) };
      return (await sessions.deleteMany(ended)).deletedCount;
    },

    async touch(sessionId, now, ifUsedBefore) {
      await sessions.updateOne(
        { _id: sessionId, last_used_at: { $lt: ifUsedBefore } },
        { $set: { last_used_at: now } },
      );
    },

    async removeUsedBefore(time) {
      await sessions.deleteMany({ last_used_at: { $lt: time } });
    },
  });
}

import { type Connection, Schema } from 'mongoose';
import { type Session, sessionIdOf } from '../../domain/session.ts';
import type { SessionStore } from '../../ports/session-store.ts';
import type { AccountDocument } from './account-store.ts';
import { answerMs } from './connection.ts';
import { withTimeLimit } from './errors.ts';

interface SessionDocument {
  /** The first characters of the hash, so that the index of ids finds hashes too. */
  readonly _id: string;
  readonly hash: string;
  readonly account_id: string;
  readonly browser: string;
  readonly created_at: number;
  readonly last_used_at: number;
}

const schema = new Schema<SessionDocument>(
  {
    _id: String,
    hash: String,
    account_id: String,
    browser: String,
    created_at: Number,
    last_used_at: Number,
  },
  { collection: 'sessions', versionKey: false, autoIndex: false, autoCreate: false },
);
schema.index({ account_id: 1, created_at: -1, _id: 1 }, { name: 'sessions_account' });
schema.index({ last_used_at: 1 }, { name: 'sessions_use' });

export function sessionModel(connection: Connection) {
  return connection.model('Session', schema);
}

export function createMongoSessionStore(connection: Connection): SessionStore {
  const sessions = sessionModel(connection);

  return withTimeLimit<SessionStore>(answerMs(connection), {
    async insert(session) {
      await sessions.insertOne(toDocument(session));
    },

    async findByHash(hash) {
      const [found] = await sessions.aggregate<
        SessionDocument & { readonly account: readonly AccountDocument[] }
      >([
        { $match: { _id: sessionIdOf(hash), hash } },
        { $lookup: { from: 'accounts', localField: 'account_id', foreignField: '_id', as: 'account' } },
      ]);
      const account = found?.account[0];
      if (found === undefined || account === undefined || account.deleted_at !== undefined) return null;
      const isSuspended = typeof account.suspended_at === 'number';
      return { session: toSession(found), account: { name: account.name, isSuspended } };
    },

    async list(accountId, limit) {
      const found = await sessions
        .find({ account_id: accountId })
        .sort({ created_at: -1, _id: 1 })
        .limit(limit)
        .lean();
      return found.map(toSession);
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

function toDocument({ id, hash, accountId, browser, createdAt, lastUsedAt }: Session): SessionDocument {
  return {
    _id: id,
    ...{ hash, browser },
    account_id: accountId,
    created_at: createdAt,
    last_used_at: lastUsedAt,
  };
}

function toSession(found: SessionDocument): Session {
  return {
    id: found._id,
    hash: found.hash,
    accountId: found.account_id,
    browser: found.browser,
    createdAt: found.created_at,
    lastUsedAt: found.last_used_at,
  };
}

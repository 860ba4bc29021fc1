import type { Connection, QueryFilter } from 'mongoose';
import { type AccountDocument, accountCollection } from '../accounts/mongo.ts';
import type { RecordOf } from '../domain/record.ts';
import { type Collection, collectionOf, type DocumentOf } from '../mongo/collection.ts';
import { forRequests } from '../mongo/errors.ts';
import type { SessionStore, TokenStore } from './credential-stores.ts';
import { sessionIdOf, sessionRecord } from './session.ts';
import { tokenIdOf, tokenRecord } from './token.ts';

/** Documents of earlier releases also have `suspended`, a copy that is ignored. */
const tokenCollection = collectionOf(
  tokenRecord,
  ['tokens_account', { account_id: 1, created_at: -1, _id: 1 }],
  ['tokens_end', { expires_at: 1 }],
);

const sessionCollection = collectionOf(
  sessionRecord,
  ['sessions_account', { account_id: 1, created_at: -1, _id: 1 }],
  ['sessions_use', { last_used_at: 1 }],
);

export function createMongoTokenStore(connection: Connection): TokenStore {
  const tokens = tokenCollection.in(connection);

  return forRequests<TokenStore>(connection, {
    ...createCredentials(connection, tokenCollection, tokenIdOf),

    find: (tokenId) => tokens.find({ _id: tokenId }),

    rename: (accountId, tokenId, label) =>
      tokens.change({ _id: tokenId, account_id: accountId }, { $set: { label } }),

    removeExpiredBefore: tokens.removalBefore('expires_at'),
  });
}

export function createMongoSessionStore(connection: Connection): SessionStore {
  const sessions = sessionCollection.in(connection);

  return forRequests<SessionStore>(connection, {
    ...createCredentials(connection, sessionCollection, sessionIdOf),

    removeUsedBefore: sessions.removalBefore('last_used_at'),
  });
}

/** What both stores do (credentials/credential-stores.ts). */
function createCredentials<R extends typeof tokenRecord | typeof sessionRecord>(
  connection: Connection,
  { in: open, toRecord }: Collection<R>,
  idOf: (hash: string) => string,
) {
  type Found = DocumentOf<R> & { readonly account: readonly AccountDocument[] };
  const credentials = open(connection);
  type Filter = QueryFilter<Pick<DocumentOf<typeof tokenRecord>, '_id' | 'account_id' | 'last_used_at'>>;
  const where = (filter: Filter) => filter as QueryFilter<DocumentOf<R>>; // proof: both declarations have these fields

  return {
    insert: (credential: RecordOf<R>) => credentials.insertUnlessTaken(credential, '_id_'),

    async findByHash(hash: string) {
      // One $lookup takes half the time of two reads (DocumentDB: 0.8 ms, 1.4 ms).
      const [found] = await credentials.model.aggregate<Found>([
        { $match: { _id: idOf(hash), hash } },
        { $lookup: { from: 'accounts', localField: 'account_id', foreignField: '_id', as: 'account' } },
      ]);
      const account = found?.account[0];
      if (found === undefined || account === undefined) return null;
      const { name, suspendedAt, deletedAt } = accountCollection.toRecord(account);
      if (deletedAt !== null) return null;
      return { credential: toRecord(found), account: { name, isSuspended: suspendedAt !== null } };
    },

    /** @param limit 0: none */
    list: (accountId: string, limit = 0) =>
      credentials.list(where({ account_id: accountId }), { sort: { created_at: -1, _id: 1 }, limit }),

    revoke: async (accountId: string, id: string) =>
      (await credentials.remove(where({ _id: id, account_id: accountId }))) > 0,

    revokeAll(accountId: string, exceptId: string | null = null) {
      const isRevoked = exceptId === null ? {} : { _id: { $ne: exceptId } };
      return credentials.remove(where({ account_id: accountId, ...isRevoked }));
    },

    async touch(id: string, now: number, ifUsedBefore: number) {
      const isOlder = { $or: [{ last_used_at: null }, { last_used_at: { $lt: ifUsedBefore } }] };
      await credentials.update(where({ _id: id, ...isOlder }), { $set: { last_used_at: now } });
    },
  };
}

import type { Connection, QueryFilter } from 'mongoose';
import { toAccount } from '../accounts/account.ts';
import { type AccountDocument, accountCollection } from '../accounts/mongo.ts';
import type { RecordOf } from '../domain/record.ts';
import { type Collection, collectionOf, type DocumentOf } from '../mongo/collection.ts';
import { forRequests } from '../mongo/errors.ts';
import type { CredentialPosition, SessionStore, TokenStore } from './credential-stores.ts';
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

  return {
    ...forRequests<Omit<TokenStore, 'removeExpiredBefore'>>(connection, {
      ...createCredentials(connection, tokenCollection, tokenIdOf),

      find: (tokenId) => tokens.find({ _id: tokenId }),

      countActive(accountId, now, atMost) {
        const isActive = { $or: [{ expires_at: null }, { expires_at: { $gt: now } }] };
        return tokens.model.countDocuments(
          { account_id: accountId, ...isActive },
          { limit: atMost, hint: 'tokens_account' },
        );
      },

      rename: (accountId, tokenId, label) =>
        tokens.change({ _id: tokenId, account_id: accountId }, { $set: { label } }),
    }),

    removeExpiredBefore: tokens.removalBefore('expires_at'),
  };
}

export function createMongoSessionStore(connection: Connection): SessionStore {
  const sessions = sessionCollection.in(connection);

  return {
    ...forRequests<Omit<SessionStore, 'removeUsedBefore'>>(
      connection,
      createCredentials(connection, sessionCollection, sessionIdOf),
    ),

    removeUsedBefore: sessions.removalBefore('last_used_at'),
  };
}

/** What both stores do (credentials/credential-stores.ts). */
function createCredentials<R extends typeof tokenRecord | typeof sessionRecord>(
  connection: Connection,
  { in: open, toRecord }: Collection<R>,
  idOf: (hash: string) => string,
) {
  type Found = DocumentOf<R> & { readonly account: readonly AccountDocument[] };
  const credentials = open(connection);
  type Common = Pick<DocumentOf<typeof tokenRecord>, '_id' | 'account_id' | 'created_at' | 'last_used_at'>;
  type Filter = QueryFilter<Common>;
  const where = (filter: Filter) => filter as QueryFilter<DocumentOf<R>>; // proof: both declarations have these fields

  return {
    insert: (credential: RecordOf<R>) => credentials.insertUnlessTaken(credential, '_id_'),

    async findByHash(hash: string) {
      // One $lookup takes half the time of two reads (docs/performance.md).
      const [found] = await credentials.model.aggregate<Found>([
        { $match: { _id: idOf(hash), hash } },
        { $lookup: { from: 'accounts', localField: 'account_id', foreignField: '_id', as: 'account' } },
      ]);
      const account = found?.account[0];
      if (found === undefined || account === undefined) return null;
      const stored = accountCollection.toRecord(account);
      if (stored.deletedAt !== null) return null;
      const { identity, suspendedAt, countsAs } = toAccount(stored);
      const ofAccount = { name: identity.name, isSuspended: suspendedAt !== null, countsAs };
      return { credential: toRecord(found), account: ofAccount };
    },

    list(accountId: string, limit: number, after: CredentialPosition | null = null) {
      const follows = after === null ? {} : following(after);
      const sorted = { sort: { created_at: -1, _id: 1 }, limit, batchSize: limit + 1 } as const;
      return credentials.list(where({ account_id: accountId, ...follows }), sorted);
    },

    revoke: async (accountId: string, id: string) =>
      (await credentials.remove(where({ _id: id, account_id: accountId }))) > 0,

    revokeSome(accountId: string, limit: number, exceptId: string | null = null) {
      const isRevoked = exceptId === null ? {} : { _id: { $ne: exceptId } };
      return credentials.removeSome(where({ account_id: accountId, ...isRevoked }), limit);
    },

    async touch(id: string, now: number, ifUsedBefore: number) {
      const isOlder = { $or: [{ last_used_at: null }, { last_used_at: { $lt: ifUsedBefore } }] };
      await credentials.update(where({ _id: id, ...isOlder }), { $set: { last_used_at: now } });
    },
  };
}

/** The first condition finds the position in the index; the second skips those of the same time. */
function following({ createdAt, id }: CredentialPosition) {
  return {
    created_at: { $lte: createdAt },
    $or: [{ created_at: { $lt: createdAt } }, { _id: { $gt: id } }],
  };
}

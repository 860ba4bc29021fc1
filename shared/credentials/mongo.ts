import type { Connection, QueryFilter } from 'mongoose';
import { toAccount } from '../accounts/account.ts';
import { type AccountDocument, accountCollection } from '../accounts/mongo.ts';
import type { RecordOf } from '../domain/record.ts';
import { type Collection, collectionOf, type DocumentOf } from '../mongo/collection.ts';
import type { CredentialAccount, CredentialPosition, SessionStore, TokenStore } from './credential-stores.ts';
import { sessionIdOf, sessionRecord } from './session.ts';
import { type Token, tokenIdOf, tokenRecord } from './token.ts';

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

/** What both stores do (credentials/credential-stores.ts). `mongo/stores.ts` sets the time limits of their calls. */
class MongoCredentials<R extends typeof tokenRecord | typeof sessionRecord> {
  readonly #credentials;
  readonly #toRecord;
  readonly #idOf: (hash: string) => string;

  constructor(connection: Connection, collection: Collection<R>, idOf: (hash: string) => string) {
    this.#credentials = collection.in(connection);
    this.#toRecord = collection.toRecord;
    this.#idOf = idOf;
  }

  insert(credential: RecordOf<R>): Promise<boolean> {
    return this.#credentials.insertUnlessTaken(credential, '_id_');
  }

  async findByHash(hash: string): Promise<{ credential: RecordOf<R>; account: CredentialAccount } | null> {
    type Found = DocumentOf<R> & { readonly account: readonly AccountDocument[] };
    // One $lookup takes half the time of two reads (docs/performance.md).
    const [found] = await this.#credentials.model.aggregate<Found>([
      { $match: { _id: this.#idOf(hash), hash } },
      { $lookup: { from: 'accounts', localField: 'account_id', foreignField: '_id', as: 'account' } },
    ]);
    const account = found?.account[0];
    if (found === undefined || account === undefined) return null;
    const stored = accountCollection.toRecord(account);
    if (stored.deletedAt !== null) return null;
    const { identity, suspendedAt, countsAs, commentsSeen, defaultAccess } = toAccount(stored);
    const isSuspended = suspendedAt !== null;
    const ofAccount = { name: identity.name, isSuspended, countsAs, commentsSeen, defaultAccess };
    return { credential: this.#toRecord(found), account: ofAccount };
  }

  list(accountId: string, limit: number, after: CredentialPosition | null = null): Promise<RecordOf<R>[]> {
    const follows = after === null ? {} : following(after);
    const sorted = { sort: { created_at: -1, _id: 1 }, limit, batchSize: limit + 1 } as const;
    return this.#credentials.list(where<R>({ account_id: accountId, ...follows }), sorted);
  }

  async revoke(accountId: string, id: string): Promise<boolean> {
    return (await this.#credentials.remove(where<R>({ _id: id, account_id: accountId }))) > 0;
  }

  revokeSome(accountId: string, limit: number, exceptId: string | null = null): Promise<number> {
    const isRevoked = exceptId === null ? {} : { _id: { $ne: exceptId } };
    return this.#credentials.removeSome(where<R>({ account_id: accountId, ...isRevoked }), limit);
  }

  async touch(id: string, now: number, ifUsedBefore: number): Promise<void> {
    const isOlder = { $or: [{ last_used_at: null }, { last_used_at: { $lt: ifUsedBefore } }] };
    await this.#credentials.update(where<R>({ _id: id, ...isOlder }), { $set: { last_used_at: now } });
  }
}

/** Tokens of the API, by the beginning of their hash. */
export class MongoTokens extends MongoCredentials<typeof tokenRecord> implements TokenStore {
  readonly #tokens;

  constructor(connection: Connection) {
    super(connection, tokenCollection, tokenIdOf);
    this.#tokens = tokenCollection.in(connection);
  }

  find(tokenId: string): Promise<Token | null> {
    return this.#tokens.find({ _id: tokenId });
  }

  countActive(accountId: string, now: number, atMost: number): Promise<number> {
    const isActive = { $or: [{ expires_at: null }, { expires_at: { $gt: now } }] };
    return this.#tokens.model.countDocuments(
      { account_id: accountId, ...isActive },
      { limit: atMost, hint: 'tokens_account' },
    );
  }

  rename(accountId: string, tokenId: string, label: string | null): Promise<Token | null> {
    return this.#tokens.change({ _id: tokenId, account_id: accountId }, { $set: { label } });
  }

  removeExpiredBefore(time: number): Promise<void> {
    return this.#tokens.removeBefore('expires_at', time);
  }
}

/** Sessions of browsers, by the beginning of their hash. */
export class MongoSessions extends MongoCredentials<typeof sessionRecord> implements SessionStore {
  readonly #sessions;

  constructor(connection: Connection) {
    super(connection, sessionCollection, sessionIdOf);
    this.#sessions = sessionCollection.in(connection);
  }

  removeUsedBefore(time: number): Promise<void> {
    return this.#sessions.removeBefore('last_used_at', time);
  }
}

type CommonFields = Pick<
  DocumentOf<typeof tokenRecord>,
  '_id' | 'account_id' | 'created_at' | 'last_used_at'
>;

/** A filter by fields that tokens and sessions have in common. */
function where<R extends typeof tokenRecord | typeof sessionRecord>(filter: QueryFilter<CommonFields>) {
  return filter as QueryFilter<DocumentOf<R>>; // proof: both declarations have these fields
}

/** The first condition finds the position in the index; the second skips those of the same time. */
function following({ createdAt, id }: CredentialPosition) {
  return {
    created_at: { $lte: createdAt },
    $or: [{ created_at: { $lt: createdAt } }, { _id: { $gt: id } }],
  };
}

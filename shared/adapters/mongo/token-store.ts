import { type Connection, Schema } from 'mongoose';
import { type Token, tokenIdOf } from '../../domain/token.ts';
import type { TokenStore } from '../../ports/token-store.ts';
import type { AccountDocument } from './account-store.ts';
import { answerMs } from './connection.ts';
import { isDuplicateOf, withTimeLimit } from './errors.ts';

/** Documents of earlier releases also have `suspended`, a copy that is ignored. */
export interface TokenDocument {
  /** The first 12 characters of the hash, so that the index of ids finds hashes too. */
  readonly _id: string;
  readonly hash: string;
  readonly account_id: string;
  readonly label: string | null;
  readonly created_at: number;
  readonly last_used_at: number | null;
  /** Absent: it does not expire. */
  readonly expires_at?: number;
}

const schema = new Schema<TokenDocument>(
  {
    _id: String,
    hash: String,
    account_id: String,
    label: String,
    created_at: Number,
    last_used_at: Number,
    expires_at: Number,
  },
  { collection: 'tokens', versionKey: false, autoIndex: false, autoCreate: false },
);
schema.index({ account_id: 1, created_at: -1, _id: 1 }, { name: 'tokens_account' });
schema.index({ expires_at: 1 }, { name: 'tokens_end' });

export function tokenModel(connection: Connection) {
  return connection.model('Token', schema);
}

export function createMongoTokenStore(connection: Connection): TokenStore {
  const tokens = tokenModel(connection);

  return withTimeLimit<TokenStore>(answerMs(connection), {
    async insert(token) {
      try {
        await tokens.create(tokenDocument(token));
        return 'inserted';
      } catch (error) {
        if (isDuplicateOf(error, '_id_')) return 'id_taken';
        throw error;
      }
    },

    async findByHash(hash) {
      // One $lookup takes half the time of two reads (DocumentDB: 0.8 ms, 1.4 ms).
      const [found] = await tokens.aggregate<
        TokenDocument & { readonly account: readonly AccountDocument[] }
      >([
        { $match: { _id: tokenIdOf(hash), hash } },
        { $lookup: { from: 'accounts', localField: 'account_id', foreignField: '_id', as: 'account' } },
      ]);
      if (found === undefined) return null;
      const { account, ...token } = found;
      const [owner] = account;
      if (owner === undefined || owner.deleted_at !== undefined) return null;
      return { token: toToken(token), isSuspended: typeof owner.suspended_at === 'number' };
    },

    async find(tokenId) {
      const found = await tokens.findById(tokenId).lean();
      return found === null ? null : toToken(found);
    },

    async list(accountId) {
      const found = await tokens.find({ account_id: accountId }).sort({ created_at: -1, _id: 1 }).lean();
      return found.map(toToken);
    },

    async rename(accountId, tokenId, label) {
      const filter = { _id: tokenId, account_id: accountId };
      const found = await tokens
        .findOneAndUpdate(filter, { $set: { label } }, { returnDocument: 'after' })
        .lean();
      return found === null ? null : toToken(found);
    },

    async revoke(accountId, tokenId) {
      return (await tokens.deleteMany({ _id: tokenId, account_id: accountId })).deletedCount > 0;
    },

    async revokeAll(accountId) {
      return (await tokens.deleteMany({ account_id: accountId })).deletedCount;
    },

    async touch(tokenId, now, ifUsedBefore) {
      const isOlder = { $or: [{ last_used_at: null }, { last_used_at: { $lt: ifUsedBefore } }] };
      await tokens.updateOne({ _id: tokenId, ...isOlder }, { $set: { last_used_at: now } });
    },

    async removeExpiredBefore(before) {
      await tokens.deleteMany({ expires_at: { $lt: before } });
    },
  });
}

export function tokenDocument(token: Token): TokenDocument {
  return {
    _id: token.id,
    hash: token.hash,
    account_id: token.accountId,
    label: token.label,
    created_at: token.createdAt,
    last_used_at: token.lastUsedAt,
    ...(token.expiresAt !== null && { expires_at: token.expiresAt }),
  };
}

export function toToken(found: TokenDocument): Token {
  return {
    id: found._id,
    hash: found.hash,
    accountId: found.account_id,
    label: found.label,
    createdAt: found.created_at,
    lastUsedAt: found.last_used_at,
    expiresAt: found.expires_at ?? null,
  };
}

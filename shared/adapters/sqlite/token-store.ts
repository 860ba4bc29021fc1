import type { Token } from '../../domain/token.ts';
import type { TokenStore } from '../../ports/token-store.ts';
import type { Database } from './database.ts';

type TokenRow = [
  id: string,
  hash: string,
  accountId: string,
  label: string | null,
  createdAt: number,
  lastUsedAt: number | null,
  expiresAt: number | null,
];

const columns = 'id, hash, account_id, label, created_at, last_used_at, expires_at';
// The column is_suspended is unused: earlier releases copied the account's suspension into it.

export function createSqliteTokenStore(db: Database): TokenStore {
  const sql = {
    insert: db.prepare(`
      INSERT INTO tokens (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`),
    findByHash: db.prepareTuples(`
      SELECT account.suspended_at IS NOT NULL, ${columns.replace(/\w+/g, 'tokens.$&')}
      FROM tokens JOIN accounts AS account ON account.id = account_id
      WHERE hash = ? AND account.deleted_at IS NULL`),
    find: db.prepareTuples(`SELECT ${columns} FROM tokens WHERE id = ?`),
    list: db.prepareTuples(`
      SELECT ${columns} FROM tokens WHERE account_id = ? ORDER BY created_at DESC, id`),
    rename: db.prepareTuples(`
      UPDATE tokens SET label = $label WHERE id = $id AND account_id = $accountId RETURNING ${columns}`),
    revoke: db.prepare('DELETE FROM tokens WHERE id = ? AND account_id = ?'),
    revokeAll: db.prepare('DELETE FROM tokens WHERE account_id = ?'),
    touch: db.prepare(`
      UPDATE tokens SET last_used_at = $now
      WHERE id = $id AND (last_used_at IS NULL OR last_used_at < $ifUsedBefore)`),
    isAnyExpired: db.prepare('SELECT 1 FROM tokens WHERE expires_at < ? LIMIT 1'),
    removeExpired: db.prepare('DELETE FROM tokens WHERE expires_at < ?'),
  };

  return {
    async insert({ id, hash, accountId, label, createdAt, lastUsedAt, expiresAt }) {
      const values = [id, hash, accountId, label, createdAt, lastUsedAt, expiresAt];
      const { changes } = await db.write(() => sql.insert.run(...values));
      return changes > 0 ? 'inserted' : 'id_taken';
    },

    async findByHash(hash) {
      const row = sql.findByHash.get(hash) as [number, ...TokenRow] | undefined; // proof: the columns selected
      if (row === undefined) return null;
      const [isSuspended, ...token] = row;
      return { token: toToken(token), isSuspended: isSuspended !== 0 };
    },

    async find(tokenId) {
      const row = sql.find.get(tokenId) as TokenRow | undefined; // proof: `columns`
      return row === undefined ? null : toToken(row);
    },

    async list(accountId) {
      return (sql.list.all(accountId) as TokenRow[]).map(toToken); // proof: `columns`
    },

    async rename(accountId, tokenId, label) {
      const row = await db.write(() => sql.rename.get({ accountId, id: tokenId, label }));
      return row === undefined ? null : toToken(row as TokenRow); // proof: `columns`
    },

    revoke(accountId, tokenId) {
      return db.write(() => sql.revoke.run(tokenId, accountId).changes > 0);
    },

    revokeAll(accountId) {
      return db.write(() => sql.revokeAll.run(accountId).changes);
    },

    async touch(tokenId, now, ifUsedBefore) {
      await db.write(() => sql.touch.run({ id: tokenId, now, ifUsedBefore }));
    },

    async removeExpiredBefore(before) {
      if (sql.isAnyExpired.get(before) === undefined) return; // the job calls this often, and mostly there is nothing to do
      await db.write(() => sql.removeExpired.run(before));
    },
  };
}

function toToken([id, hash, accountId, label, createdAt, lastUsedAt, expiresAt]: TokenRow): Token {
  return { id, hash, accountId, label, createdAt, lastUsedAt, expiresAt };
}

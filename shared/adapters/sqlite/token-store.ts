import type { Token } from '../../domain/token.ts';
import type { TokenStore } from '../../ports/token-store.ts';
import type { Database } from './database.ts';

export type TokenRow = [
  id: string,
  hash: string,
  accountId: string,
  label: string | null,
  createdAt: number,
  lastUsedAt: number | null,
  expiresAt: number | null,
];

export const tokenColumns = 'id, hash, account_id, label, created_at, last_used_at, expires_at';
// The column is_suspended is unused: earlier releases copied the account's suspension into it.

/** Values: as in `tokenValues`. */
export const insertTokenSql = `
  INSERT INTO tokens (${tokenColumns}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`;

export function createSqliteTokenStore(db: Database): TokenStore {
  const sql = {
    insert: db.prepare(insertTokenSql),
    findByHash: db.prepareTuples(`
      SELECT account.suspended_at IS NOT NULL, ${tokenColumns.replace(/\w+/g, 'tokens.$&')}
      FROM tokens JOIN accounts AS account ON account.id = account_id
      WHERE hash = ? AND account.deleted_at IS NULL`),
    find: db.prepareTuples(`SELECT ${tokenColumns} FROM tokens WHERE id = ?`),
    list: db.prepareTuples(`
      SELECT ${tokenColumns} FROM tokens WHERE account_id = ? ORDER BY created_at DESC, id`),
    rename: db.prepareTuples(`
      UPDATE tokens SET label = $label WHERE id = $id AND account_id = $accountId RETURNING ${tokenColumns}`),
    revoke: db.prepare('DELETE FROM tokens WHERE id = ? AND account_id = ?'),
    revokeAll: db.prepare('DELETE FROM tokens WHERE account_id = ?'),
    touch: db.prepare(`
      UPDATE tokens SET last_used_at = $now
      WHERE id = $id AND (last_used_at IS NULL OR last_used_at < $ifUsedBefore)`),
    isAnyExpired: db.prepare('SELECT 1 FROM tokens WHERE expires_at < ? LIMIT 1'),
    removeExpired: db.prepare('DELETE FROM tokens WHERE expires_at < ?'),
  };

  return {
    async insert(token) {
      const { changes } = await db.write(() => sql.insert.run(...tokenValues(token)));
      return changes > 0 ? 'inserted' : 'id_taken';
    },

    async findByHash(hash) {
      const row = sql.findByHash.get(hash) as [number, ...TokenRow] | undefined; // proof: the columns selected
      if (row === undefined) return null;
      const [isSuspended, ...token] = row;
      return { token: toToken(token), isSuspended: isSuspended !== 0 };
    },

    async find(tokenId) {
      const row = sql.find.get(tokenId) as TokenRow | undefined; // proof: `tokenColumns`
      return row === undefined ? null : toToken(row);
    },

    async list(accountId) {
      return (sql.list.all(accountId) as TokenRow[]).map(toToken); // proof: `tokenColumns`
    },

    async rename(accountId, tokenId, label) {
      const row = await db.write(() => sql.rename.get({ accountId, id: tokenId, label }));
      return row === undefined ? null : toToken(row as TokenRow); // proof: `tokenColumns`
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

export function tokenValues(token: Token): TokenRow {
  const { id, hash, accountId, label, createdAt, lastUsedAt, expiresAt } = token;
  return [id, hash, accountId, label, createdAt, lastUsedAt, expiresAt];
}

export function toToken([id, hash, accountId, label, createdAt, lastUsedAt, expiresAt]: TokenRow): Token {
  return { id, hash, accountId, label, createdAt, lastUsedAt, expiresAt };
}

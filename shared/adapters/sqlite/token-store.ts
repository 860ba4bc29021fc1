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
  isSuspended: number,
];

const columns = 'id, hash, account_id, label, created_at, last_used_at, is_suspended';

export function createSqliteTokenStore(db: Database): TokenStore {
  const sql = {
    insert: db.prepare(`
      INSERT INTO tokens (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`),
    findByHash: db.prepareTuples(`SELECT ${columns} FROM tokens WHERE hash = ?`),
    find: db.prepareTuples(`SELECT ${columns} FROM tokens WHERE id = ?`),
    list: db.prepareTuples(`
      SELECT ${columns} FROM tokens WHERE account_id = ? ORDER BY created_at DESC, id`),
    revoke: db.prepare('DELETE FROM tokens WHERE id = ? AND account_id = ?'),
    revokeAll: db.prepare('DELETE FROM tokens WHERE account_id = ?'),
    setSuspended: db.prepare('UPDATE tokens SET is_suspended = ? WHERE account_id = ?'),
    touch: db.prepare(`
      UPDATE tokens SET last_used_at = $now
      WHERE id = $id AND (last_used_at IS NULL OR last_used_at < $unlessSince)`),
  };

  return {
    async insert({ id, hash, accountId, label, createdAt, lastUsedAt, isSuspended }) {
      const values = [id, hash, accountId, label, createdAt, lastUsedAt, Number(isSuspended)];
      const { changes } = await db.write(() => sql.insert.run(...values));
      return changes > 0 ? 'inserted' : 'id_taken';
    },

    async findByHash(hash) {
      const row = sql.findByHash.get(hash) as TokenRow | undefined; // proof: `columns`
      return row === undefined ? null : toToken(row);
    },

    async find(tokenId) {
      const row = sql.find.get(tokenId) as TokenRow | undefined; // proof: `columns`
      return row === undefined ? null : toToken(row);
    },

    async list(accountId) {
      return (sql.list.all(accountId) as TokenRow[]).map(toToken); // proof: `columns`
    },

    revoke(accountId, tokenId) {
      return db.write(() => sql.revoke.run(tokenId, accountId).changes > 0);
    },

    revokeAll(accountId) {
      return db.write(() => sql.revokeAll.run(accountId).changes);
    },

    async setSuspended(accountId, isSuspended) {
      await db.write(() => sql.setSuspended.run(Number(isSuspended), accountId));
    },

    async touch(tokenId, now, unlessSince) {
      await db.write(() => sql.touch.run({ id: tokenId, now, unlessSince }));
    },
  };
}

function toToken([id, hash, accountId, label, createdAt, lastUsedAt, suspended]: TokenRow): Token {
  return { id, hash, accountId, label, createdAt, lastUsedAt, isSuspended: suspended !== 0 };
}

import { tokenRecord } from '../../domain/token.ts';
import type { TokenStore } from '../../ports/token-store.ts';
import type { Database } from './database.ts';
import { type Row, removalOf, tableOf } from './table.ts';

// The column is_suspended is unused: earlier releases copied the account's suspension into it.

export function createSqliteTokenStore(db: Database): TokenStore {
  const table = tableOf(db, tokenRecord);
  const insert = table.inserting('ON CONFLICT (id) DO NOTHING');
  const sql = {
    findByHash: db.prepareTuples<[isSuspended: number, ...Row]>(`
      SELECT accounts.suspended_at IS NOT NULL, ${table.columns}
      FROM tokens JOIN accounts ON accounts.id = account_id
      WHERE hash = ? AND accounts.deleted_at IS NULL`),
    find: table.select('WHERE id = ?'),
    list: table.select('WHERE account_id = ? ORDER BY created_at DESC, id'),
    rename: table.returning('UPDATE tokens SET label = ? WHERE id = ? AND account_id = ?'),
    revoke: db.prepare('DELETE FROM tokens WHERE id = ? AND account_id = ?'),
    revokeAll: db.prepare('DELETE FROM tokens WHERE account_id = ?'),
    touch: db.prepare(`
      UPDATE tokens SET last_used_at = $now
      WHERE id = $id AND (last_used_at IS NULL OR last_used_at < $ifUsedBefore)`),
  };

  return {
    insert: (token) => db.write(() => (insert(token) ? 'inserted' : 'id_taken')),

    async findByHash(hash) {
      const row = sql.findByHash.get(hash);
      if (row === undefined) return null;
      const [isSuspended, ...token] = row;
      return { token: table.read(token), isSuspended: isSuspended !== 0 };
    },

    find: async (tokenId) => sql.find.get(tokenId),

    list: async (accountId) => sql.list.all(accountId),

    rename: (accountId, tokenId, label) => db.write(() => sql.rename.get(label, tokenId, accountId)),

    revoke: (accountId, tokenId) => db.write(() => sql.revoke.run(tokenId, accountId).changes > 0),

    revokeAll: (accountId) => db.write(() => sql.revokeAll.run(accountId).changes),

    async touch(tokenId, now, ifUsedBefore) {
      await db.write(() => sql.touch.run({ id: tokenId, now, ifUsedBefore }));
    },

    removeExpiredBefore: removalOf(db, 'tokens', 'expires_at < ?'),
  };
}

import type { RecordOf } from '../domain/record.ts';
import type { Database } from '../sqlite/database.ts';
import { type Row, removalOf, tableOf } from '../sqlite/table.ts';
import type { SessionStore, TokenStore } from './credential-stores.ts';
import { sessionIdOf, sessionRecord } from './session.ts';
import { tokenIdOf, tokenRecord } from './token.ts';

// The column tokens.is_suspended is unused: earlier releases copied the account's suspension into it.

export function createSqliteTokenStore(db: Database): TokenStore {
  const table = tableOf(db, tokenRecord);
  const rename = table.changing('UPDATE tokens SET label = ? WHERE id = ? AND account_id = ?');
  return {
    ...createCredentials(db, tokenRecord, tokenIdOf),

    find: table.find('WHERE id = ?'),

    rename: (accountId, tokenId, label) => db.write(() => rename(label, tokenId, accountId)),

    removeExpiredBefore: removalOf(db, 'tokens', 'expires_at < ?'),
  };
}

export function createSqliteSessionStore(db: Database): SessionStore {
  return {
    ...createCredentials(db, sessionRecord, sessionIdOf),

    removeUsedBefore: removalOf(db, 'sessions', 'last_used_at < ?'),
  };
}

/** What both stores do (credentials/credential-stores.ts). */
function createCredentials<R extends typeof tokenRecord | typeof sessionRecord>(
  db: Database,
  record: R,
  idOf: (hash: string) => string,
) {
  const { name: credentials } = record;
  const table = tableOf(db, record);
  const insert = table.inserting('ON CONFLICT (id) DO NOTHING');
  const sql = {
    findByHash: db.prepareTuples<[name: string, isSuspended: number, ...Row]>(`
      SELECT accounts.name, accounts.suspended_at IS NOT NULL, ${table.columns}
      FROM ${credentials} JOIN accounts ON accounts.id = account_id
      WHERE ${credentials}.id = ? AND hash = ? AND accounts.deleted_at IS NULL`),
    list: table.list('WHERE account_id = ? ORDER BY created_at DESC, id LIMIT ?'),
    revoke: db.prepare(`DELETE FROM ${credentials} WHERE id = ? AND account_id = ?`),
    revokeAll: db.prepare(`DELETE FROM ${credentials} WHERE account_id = ? AND id IS NOT ?`),
    touch: db.prepare(`
      UPDATE ${credentials} SET last_used_at = $now
      WHERE id = $id AND (last_used_at IS NULL OR last_used_at < $ifUsedBefore)`),
  };

  return {
    insert: (credential: RecordOf<R>) => db.write(() => insert(credential)),

    async findByHash(hash: string) {
      const row = sql.findByHash.get(idOf(hash), hash);
      if (row === undefined) return null;
      const [name, isSuspended, ...credential] = row;
      return { credential: table.read(credential), account: { name, isSuspended: isSuspended !== 0 } };
    },

    list: (accountId: string, limit = -1) => sql.list(accountId, limit),

    revoke: (accountId: string, id: string) => db.write(() => sql.revoke.run(id, accountId).changes > 0),

    revokeAll: (accountId: string, exceptId: string | null = null) =>
      db.write(() => sql.revokeAll.run(accountId, exceptId).changes),

    async touch(id: string, now: number, ifUsedBefore: number) {
      await db.write(() => sql.touch.run({ id, now, ifUsedBefore }));
    },
  };
}

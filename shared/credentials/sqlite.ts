import type { RecordOf } from '../domain/record.ts';
import type { Database } from '../sqlite/database.ts';
import { type Row, removalOf, tableOf } from '../sqlite/table.ts';
import type { CredentialPosition, SessionStore, TokenStore } from './credential-stores.ts';
import { sessionIdOf, sessionRecord } from './session.ts';
import { tokenIdOf, tokenRecord } from './token.ts';

// The column tokens.is_suspended is unused: earlier releases copied the account's suspension into it.

export function createSqliteTokenStore(db: Database): TokenStore {
  const table = tableOf(db, tokenRecord);
  const rename = table.changing('UPDATE tokens SET label = ? WHERE id = ? AND account_id = ?');
  const countActive = db.prepareTuples<[count: number]>(`
    SELECT count(*) FROM (
      SELECT 1 FROM tokens WHERE account_id = ? AND (expires_at IS NULL OR expires_at > ?) LIMIT ?)`);
  return {
    ...createCredentials(db, tokenRecord, tokenIdOf),

    find: table.find('WHERE id = ?'),

    rename: (accountId, tokenId, label) => db.write(() => rename(label, tokenId, accountId)),

    countActive: async (accountId, now, atMost) => countActive.get(accountId, now, atMost)?.[0] ?? 0,

    removeExpiredBefore: removalOf(db, tokenRecord, 'expires_at < ?'),
  };
}

export function createSqliteSessionStore(db: Database): SessionStore {
  return {
    ...createCredentials(db, sessionRecord, sessionIdOf),

    removeUsedBefore: removalOf(db, sessionRecord, 'last_used_at < ?'),
  };
}

/** The position before the first credential of a list. */
const newest: CredentialPosition = { createdAt: Number.MAX_SAFE_INTEGER, id: '' };

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
    findByHash: db.prepareTuples<[name: string, isSuspended: number, countsAs: string, ...Row]>(`
      SELECT accounts.name, accounts.suspended_at IS NOT NULL, coalesce(accounts.counts_as, accounts.id),
        ${table.columns}
      FROM ${credentials} JOIN accounts ON accounts.id = account_id
      WHERE ${credentials}.id = ? AND hash = ? AND accounts.deleted_at IS NULL`),
    // The first condition finds the position in the index; the second skips those of the same time.
    list: table.list(`
      WHERE account_id = $accountId AND created_at <= $createdAt AND (created_at < $createdAt OR id > $id)
      ORDER BY created_at DESC, id LIMIT $limit`),
    revoke: db.prepare(`DELETE FROM ${credentials} WHERE id = ? AND account_id = ?`),
    revokeSome: db.prepare(`
      DELETE FROM ${credentials} WHERE id IN (
        SELECT id FROM ${credentials} WHERE account_id = ? AND id IS NOT ? LIMIT ?)`),
    isAny: db.prepare(`SELECT 1 FROM ${credentials} WHERE account_id = ? AND id IS NOT ? LIMIT 1`),
    touch: db.prepare(`
      UPDATE ${credentials} SET last_used_at = $now
      WHERE id = $id AND (last_used_at IS NULL OR last_used_at < $ifUsedBefore)`),
  };

  return {
    insert: (credential: RecordOf<R>) => db.write(() => insert(credential)),

    async findByHash(hash: string) {
      const row = sql.findByHash.get(idOf(hash), hash);
      if (row === undefined) return null;
      const [name, isSuspended, countsAs, ...credential] = row;
      const account = { name, isSuspended: isSuspended !== 0, countsAs };
      return { credential: table.read(credential), account };
    },

    list: (accountId: string, limit: number, after: CredentialPosition | null = null) =>
      sql.list({ accountId, limit, createdAt: (after ?? newest).createdAt, id: (after ?? newest).id }),

    revoke: (accountId: string, id: string) => db.write(() => sql.revoke.run(id, accountId).changes > 0),

    // The job of a deletion looks again and again: no write if there is none.
    revokeSome: async (accountId: string, limit: number, exceptId: string | null = null) =>
      sql.isAny.get(accountId, exceptId) === undefined
        ? 0
        : db.write(() => sql.revokeSome.run(accountId, exceptId, limit).changes),

    async touch(id: string, now: number, ifUsedBefore: number) {
      await db.write(() => sql.touch.run({ id, now, ifUsedBefore }));
    },
  };
}

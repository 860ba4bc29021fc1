import { sessionIdOf, sessionRecord } from '../../domain/session.ts';
import type { SessionStore } from '../../ports/session-store.ts';
import type { Database } from './database.ts';
import { type Row, removalOf, tableOf } from './table.ts';

export function createSqliteSessionStore(db: Database): SessionStore {
  const table = tableOf(db, sessionRecord);
  const insert = table.inserting();
  const sql = {
    findByHash: db.prepareTuples<[name: string, isSuspended: number, ...Row]>(`
      SELECT accounts.name, accounts.suspended_at IS NOT NULL, ${table.columns}
      FROM sessions JOIN accounts ON accounts.id = sessions.account_id
      WHERE sessions.id = ? AND sessions.hash = ? AND accounts.deleted_at IS NULL`),
    list: table.select('WHERE account_id = ? ORDER BY created_at DESC, id LIMIT ?'),
    end: db.prepare('DELETE FROM sessions WHERE id = ? AND account_id = ?'),
    endAll: db.prepare('DELETE FROM sessions WHERE account_id = ? AND id IS NOT ?'),
    touch: db.prepare('UPDATE sessions SET last_used_at = ? WHERE id = ? AND last_used_at < ?'),
  };

  return {
    async insert(session) {
      await db.write(() => insert(session));
    },

    async findByHash(hash) {
      const row = sql.findByHash.get(sessionIdOf(hash), hash);
      if (row === undefined) return null;
      const [name, isSuspended, ...session] = row;
      return { session: table.read(session), account: { name, isSuspended: isSuspended !== 0 } };
    },

    list: async (accountId, limit) => sql.list.all(accountId, limit),

    end: (accountId, sessionId) => db.write(() => sql.end.run(sessionId, accountId).changes > 0),

    endAll: (accountId, exceptId) => db.write(() => sql.endAll.run(accountId, exceptId).changes),

    async touch(sessionId, now, ifUsedBefore) {
      await db.write(() => sql.touch.run(now, sessionId, ifUsedBefore));
    },

    removeUsedBefore: removalOf(db, 'sessions', 'last_used_at < ?'),
  };
}

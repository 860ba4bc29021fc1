import { type Session, sessionIdOf } from '../../domain/session.ts';
import type { SessionStore } from '../../ports/session-store.ts';
import type { Database } from './database.ts';

type SessionRow = [
  id: string,
  hash: string,
  accountId: string,
  browser: string,
  createdAt: number,
  lastUsedAt: number,
];

const columns =
  'sessions.id, sessions.hash, sessions.account_id, sessions.browser, sessions.created_at, sessions.last_used_at';

export function createSqliteSessionStore(db: Database): SessionStore {
  const sql = {
    insert: db.prepare(`
      INSERT INTO sessions (id, hash, account_id, browser, created_at, last_used_at) VALUES (?, ?, ?, ?, ?, ?)`),
    findByHash: db.prepareTuples(`
      SELECT accounts.name, accounts.suspended_at IS NOT NULL, ${columns}
      FROM sessions JOIN accounts ON accounts.id = sessions.account_id
      WHERE sessions.id = ? AND sessions.hash = ? AND accounts.deleted_at IS NULL`),
    list: db.prepareTuples(`
      SELECT ${columns} FROM sessions WHERE account_id = ? ORDER BY created_at DESC, id LIMIT ?`),
    end: db.prepare('DELETE FROM sessions WHERE id = ? AND account_id = ?'),
    endAll: db.prepare('DELETE FROM sessions WHERE account_id = ? AND id IS NOT ?'),
    touch: db.prepare('UPDATE sessions SET last_used_at = ? WHERE id = ? AND last_used_at < ?'),
    isAnyOld: db.prepare('SELECT 1 FROM sessions WHERE last_used_at < ? LIMIT 1'),
    remove: db.prepare('DELETE FROM sessions WHERE last_used_at < ?'),
  };

  return {
    async insert({ id, hash, accountId, browser, createdAt, lastUsedAt }) {
      await db.write(() => sql.insert.run(id, hash, accountId, browser, createdAt, lastUsedAt));
    },

    async findByHash(hash) {
      // proof: the columns selected
      const row = sql.findByHash.get(sessionIdOf(hash), hash) as [string, number, ...SessionRow] | undefined;
      if (row === undefined) return null;
      const [name, isSuspended, ...session] = row;
      return { session: toSession(session), account: { name, isSuspended: isSuspended !== 0 } };
    },

    async list(accountId, limit) {
      return (sql.list.all(accountId, limit) as SessionRow[]).map(toSession); // proof: `columns`
    },

    end(accountId, sessionId) {
      return db.write(() => sql.end.run(sessionId, accountId).changes > 0);
    },

    endAll(accountId, exceptId) {
      return db.write(() => sql.endAll.run(accountId, exceptId).changes);
    },

    async touch(sessionId, now, ifUsedBefore) {
      await db.write(() => sql.touch.run(now, sessionId, ifUsedBefore));
    },

    async removeUsedBefore(time) {
      if (sql.isAnyOld.get(time) === undefined) return; // the job calls this often, and mostly there is nothing to do
      await db.write(() => sql.remove.run(time));
    },
  };
}

function toSession([id, hash, accountId, browser, createdAt, lastUsedAt]: SessionRow): Session {
  return { id, hash, accountId, browser, createdAt, lastUsedAt };
}

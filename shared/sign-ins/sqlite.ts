import type { Database } from '../sqlite/database.ts';
import { removalOf, tableOf } from '../sqlite/table.ts';
import { signInRecord } from './sign-in.ts';
import type { SignInStore } from './sign-in-store.ts';

export function createSqliteSignInStore(db: Database): SignInStore {
  const table = tableOf(db, signInRecord);
  const insert = table.inserting('ON CONFLICT (code_hash) DO NOTHING');
  const isOver = "status IN ('pending', 'verified') AND expires_at <= ?";
  const sql = {
    approve: db.prepare(`
      UPDATE sign_ins SET status = 'verified', account_id = ?
      WHERE id = ? AND status = 'pending' AND expires_at > ?`),
    deny: db.prepare(`
      UPDATE sign_ins SET status = 'expired' WHERE id = ? AND status = 'pending' AND expires_at > ?`),
    claim: table.changing(`
      UPDATE sign_ins SET status = 'claimed' WHERE id = ? AND status = 'verified' AND expires_at > ?`),
    end: db.prepare("UPDATE sign_ins SET status = 'expired' WHERE account_id = ? AND status = ?"),
    isAnyOver: db.prepare(`SELECT 1 FROM sign_ins WHERE ${isOver} LIMIT 1`),
    expire: db.prepare(`UPDATE sign_ins SET status = 'expired' WHERE ${isOver}`),
  };

  return {
    insert: (signIn) => db.write(() => insert(signIn)),

    find: table.find('WHERE id = ?'),

    findByCode: table.find('WHERE code_hash = ?'),

    findByPoll: table.find('WHERE poll_hash = ?'),

    approve: (id, accountId, now) => db.write(() => sql.approve.run(accountId, id, now).changes > 0),

    deny: (id, now) => db.write(() => sql.deny.run(id, now).changes > 0),

    claim: (id, now) => db.write(() => sql.claim(id, now)),

    expireByAccount(accountId) {
      return db.write(() => {
        const { changes } = sql.end.run(accountId, 'verified');
        sql.end.run(accountId, 'claimed');
        return changes;
      });
    },

    // The job calls this often, and mostly there is nothing to do: no write then.
    async expire(now) {
      if (sql.isAnyOver.get(now) === undefined) return;
      await db.write(() => sql.expire.run(now));
    },

    removeExpiredBefore: removalOf(db, 'sign_ins', 'expires_at < ?'),
  };
}

import type { Database } from '../sqlite/database.ts';
import { changeInParts, removalOf, tableOf } from '../sqlite/table.ts';
import { type SignInStatus, signInRecord } from './sign-in.ts';
import type { SignInStore } from './sign-in-store.ts';

export function createSqliteSignInStore(db: Database): SignInStore {
  const table = tableOf(db, signInRecord);
  const insert = table.inserting('ON CONFLICT (code_hash) DO NOTHING');
  const isOver = "status IN ('pending', 'verified') AND expires_at <= ?";
  const prepareExpiry = (condition: string) =>
    db.prepare(`
      UPDATE sign_ins SET status = 'expired'
      WHERE id IN (SELECT id FROM sign_ins WHERE ${condition} LIMIT ?)`);
  const sql = {
    approve: db.prepare(`
      UPDATE sign_ins SET status = 'verified', account_id = ?
      WHERE id = ? AND status = 'pending' AND expires_at > ?`),
    deny: db.prepare(`
      UPDATE sign_ins SET status = 'expired' WHERE id = ? AND status = 'pending' AND expires_at > ?`),
    claim: table.changing(`
      UPDATE sign_ins SET status = 'claimed' WHERE id = ? AND status = 'verified' AND expires_at > ?`),
    countVerified: db.prepareTuples<[count: number]>(
      "SELECT count(*) FROM sign_ins WHERE account_id = ? AND status = 'verified' AND expires_at > ?",
    ),
    end: prepareExpiry('account_id = ? AND status = ?'),
    isAnyOver: db.prepare(`SELECT 1 FROM sign_ins WHERE ${isOver} LIMIT 1`),
    expire: prepareExpiry(isOver),
  };

  return {
    insert: (signIn) => db.write(() => insert(signIn)),

    find: table.find('WHERE id = ?'),

    findByCode: table.find('WHERE code_hash = ?'),

    findByPoll: table.find('WHERE poll_hash = ?'),

    approve: (id, accountId, now) => db.write(() => sql.approve.run(accountId, id, now).changes > 0),

    deny: (id, now) => db.write(() => sql.deny.run(id, now).changes > 0),

    claim: (id, now) => db.write(() => sql.claim(id, now)),

    countVerified: async (accountId, now) => sql.countVerified.get(accountId, now)?.[0] ?? 0,

    async expireByAccount(accountId) {
      const end = (status: SignInStatus) =>
        changeInParts(db, (limit) => sql.end.run(accountId, status, limit).changes);
      const count = await end('verified');
      // Second, so that sign-ins that are claimed in between are included.
      await end('claimed');
      return count;
    },

    // The job calls this often, and mostly there is nothing to do: no write then.
    async expire(now) {
      if (sql.isAnyOver.get(now) === undefined) return;
      await changeInParts(db, (limit) => sql.expire.run(now, limit).changes);
    },

    removeExpiredBefore: removalOf(db, signInRecord, 'expires_at < ?'),
  };
}

import type { SignIn, SignInStatus } from '../../domain/sign-in.ts';
import type { SignInStore } from '../../ports/sign-in-store.ts';
import type { Database } from './database.ts';

interface SignInRow {
  readonly id: string;
  readonly codeHash: string;
  readonly pollHash: string;
  readonly label: string | null;
  readonly address: string;
  readonly userAgent: string;
  readonly status: SignInStatus;
  readonly accountId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

const columns = `
  id, code_hash AS codeHash, poll_hash AS pollHash, label, requester_address AS address,
  requester_agent AS userAgent, status, account_id AS accountId, created_at AS createdAt, expires_at AS expiresAt`;

export function createSqliteSignInStore(db: Database): SignInStore {
  const sql = {
    insert: db.prepare(`
      INSERT INTO sign_ins (id, code_hash, poll_hash, label, requester_address, requester_agent, status,
        account_id, created_at, expires_at)
      VALUES ($id, $codeHash, $pollHash, $label, $address, $userAgent, $status, $accountId, $createdAt, $expiresAt)
      ON CONFLICT (code_hash) DO NOTHING`),
    find: db.prepare(`SELECT ${columns} FROM sign_ins WHERE id = ?`),
    findByCode: db.prepare(`SELECT ${columns} FROM sign_ins WHERE code_hash = ?`),
    findByPoll: db.prepare(`SELECT ${columns} FROM sign_ins WHERE poll_hash = ?`),
    approve: db.prepare(`
      UPDATE sign_ins SET status = 'verified', account_id = $accountId
      WHERE id = $id AND status = 'pending' AND expires_at > $now`),
    deny: db.prepare(`
      UPDATE sign_ins SET status = 'expired' WHERE id = ? AND status = 'pending' AND expires_at > ?`),
    claim: db.prepare(`
      UPDATE sign_ins SET status = 'claimed' WHERE id = ? AND status = 'verified' AND expires_at > ?
      RETURNING ${columns}`),
    countVerified: db.prepareTuples(
      "SELECT count(*) FROM sign_ins WHERE account_id = ? AND status = 'verified'",
    ),
    endByAccount: db.prepare(`
      UPDATE sign_ins SET status = 'expired' WHERE account_id = ? AND status IN ('verified', 'claimed')`),
    isAnyOver: db.prepare(`
      SELECT 1 FROM sign_ins WHERE status IN ('pending', 'verified') AND expires_at <= ? LIMIT 1`),
    expire: db.prepare(`
      UPDATE sign_ins SET status = 'expired' WHERE status IN ('pending', 'verified') AND expires_at <= ?`),
    isAnyOld: db.prepare('SELECT 1 FROM sign_ins WHERE expires_at < ? LIMIT 1'),
    remove: db.prepare('DELETE FROM sign_ins WHERE expires_at < ?'),
  };

  return {
    async insert({ requester, ...signIn }) {
      const { changes } = await db.write(() => sql.insert.run({ ...signIn, ...requester }));
      return changes > 0 ? 'inserted' : 'code_taken';
    },

    async find(id) {
      return toSignIn(sql.find.get(id));
    },

    async findByCode(codeHash) {
      return toSignIn(sql.findByCode.get(codeHash));
    },

    async findByPoll(pollHash) {
      return toSignIn(sql.findByPoll.get(pollHash));
    },

    approve(id, accountId, now) {
      return db.write(() => sql.approve.run({ id, accountId, now }).changes > 0);
    },

    deny(id, now) {
      return db.write(() => sql.deny.run(id, now).changes > 0);
    },

    async claim(id, now) {
      return toSignIn(await db.write(() => sql.claim.get(id, now)));
    },

    endByAccount(accountId) {
      return db.write(() => {
        const [count] = sql.countVerified.get(accountId) as [number]; // proof: an aggregate always has one row
        sql.endByAccount.run(accountId);
        return count;
      });
    },

    // The job calls these often, and mostly there is nothing to do: no write then.

    async expire(now) {
      if (sql.isAnyOver.get(now) === undefined) return;
      await db.write(() => sql.expire.run(now));
    },

    async removeExpiredBefore(before) {
      if (sql.isAnyOld.get(before) === undefined) return;
      await db.write(() => sql.remove.run(before));
    },
  };
}

function toSignIn(row: unknown): SignIn | null {
  if (row === undefined) return null;
  const { address, userAgent, ...signIn } = row as SignInRow; // proof: `columns`
  return { ...signIn, requester: { address, userAgent } };
}

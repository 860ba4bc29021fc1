import type { Database } from '../sqlite/database.ts';
import { changeInParts, removalOf, tableOf } from '../sqlite/table.ts';
import { type SignIn, type SignInStatus, signInRecord } from './sign-in.ts';
import type { SignInStore } from './sign-in-store.ts';

export class SqliteSignIns implements SignInStore {
  readonly find: SignInStore['find'];
  readonly findByCode: SignInStore['findByCode'];
  readonly findByPoll: SignInStore['findByPoll'];
  readonly removeExpiredBefore: SignInStore['removeExpiredBefore'];
  readonly #db: Database;
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: Database) {
    const table = tableOf(db, signInRecord);
    this.find = table.find('WHERE id = ?');
    this.findByCode = table.find('WHERE code_hash = ?');
    this.findByPoll = table.find('WHERE poll_hash = ?');
    this.removeExpiredBefore = removalOf(db, signInRecord, 'expires_at < ?');
    this.#db = db;
    this.#sql = prepare(db);
  }

  insert(signIn: SignIn): Promise<boolean> {
    return this.#db.write(() => this.#sql.insert(signIn));
  }

  approve(
    id: string,
    { accountId, scope }: Parameters<SignInStore['approve']>[1],
    now: number,
  ): Promise<boolean> {
    return this.#db.write(() => this.#sql.approve.run(accountId, scope, id, now).changes > 0);
  }

  deny(id: string, now: number): Promise<boolean> {
    return this.#db.write(() => this.#sql.deny.run(id, now).changes > 0);
  }

  claim(id: string, now: number): Promise<SignIn | null> {
    return this.#db.write(() => this.#sql.claim(id, now));
  }

  async countVerified(accountId: string, now: number): Promise<number> {
    return this.#sql.countVerified.get(accountId, now)?.[0] ?? 0;
  }

  async expireByAccount(accountId: string): Promise<number> {
    const count = await this.#end(accountId, 'verified');
    // Second, so that sign-ins that are claimed in between are included.
    await this.#end(accountId, 'claimed');
    return count;
  }

  // The job calls this often, and mostly there is nothing to do: no write then.
  async expire(now: number): Promise<void> {
    if (this.#sql.isAnyOver.get(now) === undefined) return;
    await changeInParts(this.#db, (limit) => this.#sql.expire.run(now, limit).changes);
  }

  #end(accountId: string, status: SignInStatus): Promise<number> {
    return changeInParts(this.#db, (limit) => this.#sql.end.run(accountId, status, limit).changes);
  }
}

function prepare(db: Database) {
  const table = tableOf(db, signInRecord);
  const isOver = "status IN ('pending', 'verified') AND expires_at <= ?";
  const prepareExpiry = (condition: string) =>
    db.prepare(`
      UPDATE sign_ins SET status = 'expired'
      WHERE id IN (SELECT id FROM sign_ins WHERE ${condition} LIMIT ?)`);
  return {
    insert: table.inserting('ON CONFLICT (code_hash) DO NOTHING'),
    approve: db.prepare(`
      UPDATE sign_ins SET status = 'verified', account_id = ?, scope = ?
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
}

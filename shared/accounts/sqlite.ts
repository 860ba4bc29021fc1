import type { Access } from '../drops/access.ts';
import type { Database, Statement } from '../sqlite/database.ts';
import { tableOf } from '../sqlite/table.ts';
import {
  type Account,
  accountRecord,
  type DailyQuota,
  type Identity,
  type Inheritance,
  type StoredAccount,
  toAccount,
} from './account.ts';
import type { AccountStore, DeletedAccount } from './account-store.ts';

const isLive = 'deleted_at IS NULL';

const nothingInherited = { day: '', dayCount: 0, countsAs: null };
/** The position before the first deleted account. */
const firstDeleted: DeletedAccount = { id: '', deletedAt: 0 };

export class SqliteAccounts implements AccountStore {
  readonly #db: Database;
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: Database) {
    this.#db = db;
    this.#sql = prepare(db);
  }

  async findOrCreate(
    { provider, subject, name }: Identity,
    id: string,
    now: number,
    inherited: Inheritance | null = null,
  ): Promise<Account> {
    const known = await this.#sql.findByIdentity(provider, subject);
    if (known?.name === name) return toAccount(known);
    const values = { id, provider, subject, name, now, ...(inherited ?? nothingInherited) };
    const stored = await this.#db.write(() => this.#sql.upsert(values));
    if (stored === null) throw new Error('an upsert returned no account');
    return toAccount(stored);
  }

  async find(id: string): Promise<Account | null> {
    return orNull(await this.#sql.find(id));
  }

  async findByIdentity({
    provider,
    subject,
  }: Pick<Identity, 'provider' | 'subject'>): Promise<Account | null> {
    return orNull(await this.#sql.findByIdentity(provider, subject));
  }

  async findByName(name: string): Promise<Account[]> {
    return (await this.#sql.findByName(name)).map(toAccount);
  }

  async setIdentity(id: string, { provider, subject, name }: Identity): Promise<boolean> {
    return this.#db.write(() => this.#sql.setIdentity.run({ id, provider, subject, name }).changes > 0);
  }

  async setSuspended(id: string, at: number | null): Promise<Account | null> {
    return orNull(await this.#db.write(() => this.#sql.setSuspended({ id, at })));
  }

  async noteCommentsSeen(id: string, seq: number): Promise<void> {
    await this.#db.write(() => this.#sql.noteCommentsSeen.run({ id, seq }));
  }

  setDefaultAccess(id: string, access: Access | null): Promise<boolean> {
    return this.#db.write(() => this.#sql.setDefaultAccess.run({ id, access }).changes > 0);
  }

  async countDailyWrites(id: string, day: string): Promise<number> {
    return this.#sql.countDailyWrites.get(id, day)?.[0] ?? 0;
  }

  async findInheritance(identityHashes: readonly string[], since: number): Promise<Inheritance | null> {
    return this.#sql.findInheritance.get({ hashes: JSON.stringify(identityHashes), since }) ?? null;
  }

  async count(provider: string, atMost: number): Promise<number> {
    return this.#sql.count.get(provider, atMost)?.[0] ?? 0;
  }

  markDeleted(id: string, now: number, identityHashes: readonly string[]): Promise<boolean> {
    const hashes = JSON.stringify(identityHashes);
    return this.#db.write(() => this.#sql.markDeleted.run({ id, now, hashes }).changes > 0);
  }

  async findDeletedAt(id: string): Promise<number | null> {
    return (await this.#sql.findDeleted(id))?.deletedAt ?? null;
  }

  async listDeleted(limit: number, after: DeletedAccount | null): Promise<DeletedAccount[]> {
    const { id, deletedAt } = after ?? firstDeleted;
    return this.#sql.listDeleted.all({ limit, id, deletedAt });
  }

  async erase(id: string): Promise<void> {
    await this.#db.write(() => this.#sql.erase.run(id));
  }
}

function orNull(found: StoredAccount | null): Account | null {
  return found === null ? null : toAccount(found);
}

function prepare(db: Database) {
  const table = tableOf(db, accountRecord);
  return {
    find: table.find(`WHERE id = ? AND ${isLive}`),
    findByIdentity: table.find('WHERE provider = ? AND subject = ?'),
    findByName: table.list(`WHERE name = ? COLLATE NOCASE AND ${isLive} ORDER BY created_at, id`),
    setIdentity: db.prepare(`
      UPDATE OR IGNORE accounts SET provider = $provider, subject = $subject, name = $name
      WHERE id = $id AND ${isLive}`),
    setSuspended: table.changing(`
      UPDATE accounts SET suspended_at = iif($at IS NULL, NULL, coalesce(suspended_at, $at))
      WHERE id = $id AND ${isLive}`),
    noteCommentsSeen: db.prepare(`
      UPDATE accounts SET comments_seen = $seq WHERE id = $id AND comments_seen < $seq AND ${isLive}`),
    setDefaultAccess: db.prepare(`UPDATE accounts SET default_access = $access WHERE id = $id AND ${isLive}`),
    upsert: table.changing(`
      INSERT INTO accounts (id, provider, subject, name, created_at, day, day_count, counts_as)
      VALUES ($id, $provider, $subject, $name, $now, $day, $dayCount, $countsAs)
      ON CONFLICT (provider, subject) DO UPDATE SET name = excluded.name`),
    countDailyWrites: db.prepareTuples<[count: number]>(
      `SELECT day_count FROM accounts WHERE id = ? AND day = ? AND ${isLive}`,
    ),
    markDeleted: db.prepare(`
      UPDATE accounts SET deleted_at = $now, provider = 'deleted', subject = id, name = '', identity_hash = $hashes
      WHERE id = $id AND suspended_at IS NULL AND ${isLive}`),
    findDeleted: table.find('WHERE id = ? AND deleted_at IS NOT NULL'),
    findInheritance: db.prepare<Inheritance>(`
      SELECT coalesce(counts_as, id) AS countsAs, day, day_count AS dayCount FROM accounts
      WHERE deleted_at >= $since AND EXISTS (
        SELECT 1 FROM json_each(identity_hash) WHERE value IN (SELECT value FROM json_each($hashes)))
      ORDER BY day DESC, day_count DESC LIMIT 1`),
    count: db.prepareTuples<[count: number]>(`
      SELECT count(*) FROM (SELECT 1 FROM accounts WHERE provider IN (?, 'deleted') LIMIT ?)`),
    listDeleted: db.prepare<DeletedAccount>(`
      SELECT id, deleted_at AS deletedAt FROM accounts
      WHERE deleted_at IS NOT NULL AND deleted_at >= $deletedAt AND (deleted_at > $deletedAt OR id > $id)
      ORDER BY deleted_at, id LIMIT $limit`),
    erase: db.prepare('DELETE FROM accounts WHERE id = ? AND deleted_at IS NOT NULL'),
  };
}

/** SQL: the writes counted for `$day`, or for the later day if one has started. */
const counted = 'CASE WHEN day >= $day THEN day_count ELSE 0 END';

/** The count of an account's writes of a day (DropStore), to be changed inside a write of the database. */
export class SqliteDailyCounts {
  readonly #take: Statement;
  readonly #giveBack: Statement;

  constructor(db: Database) {
    this.#take = db.prepare(`
      UPDATE accounts SET day_count = ${counted} + 1, day = max(day, $day)
      WHERE id = $accountId AND ${counted} < $limit AND ${isLive}`);
    this.#giveBack = db.prepare('UPDATE accounts SET day_count = day_count - 1 WHERE id = ?');
  }

  /** Counts a write; false: the day is full. */
  take(quota: DailyQuota): boolean {
    return this.#take.run({ ...quota }).changes > 0;
  }

  /** Takes a count back, in the transaction that took it. */
  giveBack({ accountId }: DailyQuota): void {
    this.#giveBack.run(accountId);
  }
}

import type { Account, DailyQuota, Identity } from '../../domain/account.ts';
import type { AccountStore } from '../../ports/account-store.ts';
import type { Database } from './database.ts';

export interface AccountRow {
  readonly id: string;
  readonly provider: string;
  readonly subject: string;
  readonly name: string;
  readonly createdAt: number;
  readonly suspendedAt: number | null;
}

export const accountColumns =
  'id, provider, subject, name, created_at AS createdAt, suspended_at AS suspendedAt';

const isLive = 'deleted_at IS NULL';

export function createSqliteAccountStore(db: Database): AccountStore {
  const sql = {
    find: db.prepare(`SELECT ${accountColumns} FROM accounts WHERE id = ? AND ${isLive}`),
    findByIdentity: db.prepare(`SELECT ${accountColumns} FROM accounts WHERE provider = ? AND subject = ?`),
    findByName: db.prepare(`
      SELECT ${accountColumns} FROM accounts WHERE name = ? COLLATE NOCASE AND ${isLive} ORDER BY created_at, id`),
    setSuspended: db.prepare(`
      UPDATE accounts SET suspended_at = iif($at IS NULL, NULL, coalesce(suspended_at, $at))
      WHERE id = $id AND ${isLive}
      RETURNING ${accountColumns}`),
    upsert: db.prepare(`
      INSERT INTO accounts (id, provider, subject, name, created_at)
      VALUES ($id, $provider, $subject, $name, $now)
      ON CONFLICT (provider, subject) DO UPDATE SET name = excluded.name
      RETURNING ${accountColumns}`),
    countDailyWrites: db.prepareTuples(
      `SELECT day_count FROM accounts WHERE id = ? AND day = ? AND ${isLive}`,
    ),
    markDeleted: db.prepare(`
      UPDATE accounts SET deleted_at = $now, provider = 'deleted', subject = id, name = ''
      WHERE id = $id AND suspended_at IS NULL AND ${isLive}`),
    findDeletedAt: db.prepareTuples('SELECT deleted_at FROM accounts WHERE id = ?'),
    listDeleted: db.prepareTuples(`
      SELECT id FROM accounts WHERE deleted_at IS NOT NULL ORDER BY deleted_at, id LIMIT ?`),
    erase: db.prepare('DELETE FROM accounts WHERE id = ? AND deleted_at IS NOT NULL'),
  };

  return {
    async findOrCreate({ provider, subject, name }: Identity, id, now) {
      const known = sql.findByIdentity.get(provider, subject) as AccountRow | undefined; // proof: `accountColumns`
      if (known?.name === name) return toAccount(known);
      const row = await db.write(() => sql.upsert.get({ id, provider, subject, name, now }));
      return toAccount(row as AccountRow); // proof: `accountColumns`, and an upsert always returns its row
    },

    async find(id) {
      const row = sql.find.get(id) as AccountRow | undefined; // proof: `accountColumns`
      return row === undefined ? null : toAccount(row);
    },

    async findByName(name) {
      return (sql.findByName.all(name) as AccountRow[]).map(toAccount); // proof: `accountColumns`
    },

    async setSuspended(id, at) {
      const row = await db.write(() => sql.setSuspended.get({ id, at }));
      return row === undefined ? null : toAccount(row as AccountRow); // proof: `accountColumns`
    },

    async countDailyWrites(id, day) {
      const row = sql.countDailyWrites.get(id, day) as [number] | undefined; // proof: the column selected
      return row?.[0] ?? 0;
    },

    markDeleted(id, now) {
      return db.write(() => sql.markDeleted.run({ id, now }).changes > 0);
    },

    async findDeletedAt(id) {
      const row = sql.findDeletedAt.get(id) as [number | null] | undefined; // proof: the column selected
      return row?.[0] ?? null;
    },

    async listDeleted(limit) {
      return (sql.listDeleted.all(limit) as [string][]).map(([id]) => id); // proof: the column selected
    },

    async erase(id) {
      await db.write(() => sql.erase.run(id));
    },
  };
}

export function toAccount({ id, provider, subject, name, createdAt, suspendedAt }: AccountRow): Account {
  return { id, identity: { provider, subject, name }, createdAt, suspendedAt };
}

/** SQL: the writes counted for `$day`, or for the later day if one has started. */
const counted = 'CASE WHEN day >= $day THEN day_count ELSE 0 END';

/** The count of an account's writes of a day (DropStore), to be changed inside a write of the database. */
export function createDailyCounts(db: Database) {
  const sql = {
    take: db.prepare(`
      UPDATE accounts SET day_count = ${counted} + 1, day = max(day, $day)
      WHERE id = $accountId AND ${counted} < $limit AND ${isLive}`),
    giveBack: db.prepare('UPDATE accounts SET day_count = day_count - 1 WHERE id = ?'),
  };
  return {
    /** Counts a write; false: the day is full. */
    take: (quota: DailyQuota): boolean => sql.take.run({ ...quota }).changes > 0,

    /** Takes a count back, in the transaction that took it. */
    giveBack: ({ accountId }: DailyQuota): void => void sql.giveBack.run(accountId),
  };
}

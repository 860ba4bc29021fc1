import type { Account, Identity } from '../../domain/account.ts';
import type { AccountStore } from '../../ports/account-store.ts';
import type { Database } from './database.ts';

interface AccountRow {
  readonly id: string;
  readonly provider: string;
  readonly subject: string;
  readonly name: string;
  readonly createdAt: number;
}

const columns = 'id, provider, subject, name, created_at AS createdAt';

/** What the account has written on the day that is asked for; a straggler of a day before counts to the newer one. */
const counted = 'CASE WHEN day >= $day THEN day_count ELSE 0 END';

export function createSqliteAccountStore(db: Database): AccountStore {
  const sql = {
    find: db.prepare(`SELECT ${columns} FROM accounts WHERE id = ?`),
    findByIdentity: db.prepare(`SELECT ${columns} FROM accounts WHERE provider = ? AND subject = ?`),
    upsert: db.prepare(`
      INSERT INTO accounts (id, provider, subject, name, created_at)
      VALUES ($id, $provider, $subject, $name, $now)
      ON CONFLICT (provider, subject) DO UPDATE SET name = excluded.name
      RETURNING ${columns}`),
    takeDailyWrite: db.prepare(`
      UPDATE accounts SET day_count = ${counted} + 1, day = max(day, $day)
      WHERE id = $id AND ${counted} < $limit`),
    returnDailyWrite: db.prepare(`
      UPDATE accounts SET day_count = day_count - 1 WHERE id = $id AND day = $day AND day_count > 0`),
  };

  return {
    async findOrCreate({ provider, subject, name }: Identity, id, now) {
      const known = sql.findByIdentity.get(provider, subject) as AccountRow | undefined; // proof: `columns`
      if (known?.name === name) return toAccount(known);
      const row = await db.write(() => sql.upsert.get({ id, provider, subject, name, now }));
      return toAccount(row as AccountRow); // proof: `columns`, and an upsert without a condition returns its row
    },

    async find(id) {
      const row = sql.find.get(id) as AccountRow | undefined; // proof: `columns`
      return row === undefined ? null : toAccount(row);
    },

    takeDailyWrite(id, day, limit) {
      return db.write(() => sql.takeDailyWrite.run({ id, day, limit }).changes > 0);
    },

    async returnDailyWrite(id, day) {
      await db.write(() => sql.returnDailyWrite.run({ id, day }));
    },
  };
}

function toAccount({ id, provider, subject, name, createdAt }: AccountRow): Account {
  return { id, identity: { provider, subject, name }, createdAt };
}

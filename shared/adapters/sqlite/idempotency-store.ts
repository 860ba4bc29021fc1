import type { Beginning, IdempotencyRecord, IdempotencyStore } from '../../ports/idempotency-store.ts';
import type { Database } from './database.ts';

type IdempotencyRow = Omit<IdempotencyRecord, 'isDone'> & { readonly isDone: number };

const columns = `
  account_id AS accountId, key, hash, drop_id AS dropId, slug, version_id AS versionId, lease,
  leased_until AS leasedUntil, is_done AS isDone, created_at AS createdAt`;

export function createSqliteIdempotencyStore(db: Database): IdempotencyStore {
  const sql = {
    find: db.prepare(`SELECT ${columns} FROM idempotency_keys WHERE account_id = ? AND key = ?`),
    put: db.prepare(`
      INSERT OR REPLACE INTO idempotency_keys (account_id, key, hash, drop_id, slug, version_id, lease, leased_until,
        is_done, created_at)
      VALUES ($accountId, $key, $hash, $dropId, $slug, $versionId, $lease, $leasedUntil, $isDone, $createdAt)`),
    finish: db.prepare(`
      UPDATE idempotency_keys SET is_done = 1 WHERE account_id = ? AND key = ? AND version_id = ?`),
    release: db.prepare(`
      UPDATE idempotency_keys SET leased_until = ? WHERE account_id = ? AND key = ? AND lease = ?`),
    remove: db.prepare('DELETE FROM idempotency_keys WHERE account_id = ? AND key = ? AND lease = ?'),
    isAnyOld: db.prepare('SELECT 1 FROM idempotency_keys WHERE created_at < ? LIMIT 1'),
    removeOld: db.prepare('DELETE FROM idempotency_keys WHERE created_at < ?'),
  };

  function find(accountId: string, key: string): IdempotencyRecord | null {
    const row = sql.find.get(accountId, key) as IdempotencyRow | undefined; // proof: `columns`
    return row === undefined ? null : { ...row, isDone: row.isDone !== 0 };
  }

  function put(record: IdempotencyRecord): IdempotencyRecord {
    sql.put.run({ ...record, isDone: Number(record.isDone) });
    return record;
  }

  function begin(fresh: IdempotencyRecord, now: number, keptSince: number): Beginning {
    const stored = find(fresh.accountId, fresh.key);
    if (stored === null) return { outcome: 'started', record: put(fresh) };
    if (stored.lease === fresh.lease) return { outcome: 'started', record: stored };
    if (stored.createdAt < keptSince) return { outcome: 'started', record: put(fresh) };
    if (stored.isDone || stored.hash !== fresh.hash || stored.leasedUntil > now)
      return { outcome: 'found', record: stored };
    const { lease, leasedUntil } = fresh;
    return { outcome: 'taken over', record: put({ ...stored, lease, leasedUntil }) };
  }

  return {
    find: async (accountId, key) => find(accountId, key),

    begin: (fresh, now, keptSince) => db.write(() => begin(fresh, now, keptSince)),

    async finish({ accountId, key, versionId }) {
      await db.write(() => sql.finish.run(accountId, key, versionId));
    },

    async release({ accountId, key, lease }, now) {
      await db.write(() => sql.release.run(now, accountId, key, lease));
    },

    async remove({ accountId, key, lease }) {
      await db.write(() => sql.remove.run(accountId, key, lease));
    },

    async removeCreatedBefore(time) {
      if (sql.isAnyOld.get(time) === undefined) return; // the job calls this often, and mostly there is nothing to do
      await db.write(() => sql.removeOld.run(time));
    },
  };
}

import type { Database } from '../sqlite/database.ts';
import { removalOf, tableOf } from '../sqlite/table.ts';
import { type IdempotencyStore, idempotencyRecord } from './idempotency-store.ts';

export function createSqliteIdempotencyStore(db: Database): IdempotencyStore {
  const table = tableOf(db, idempotencyRecord);
  const insert = table.inserting('ON CONFLICT (account_id, key) DO NOTHING');
  const sql = {
    finish: db.prepare(`
      UPDATE idempotency_keys SET is_done = 1 WHERE account_id = ? AND key = ? AND version_id = ?`),
    take: db.prepare(`
      DELETE FROM idempotency_keys WHERE account_id = ? AND key = ? AND lease = ? AND is_done = ?`),
    remove: db.prepare('DELETE FROM idempotency_keys WHERE account_id = ? AND key = ? AND lease = ?'),
  };

  return {
    find: table.find('WHERE account_id = ? AND key = ?'),

    insert: (record) => db.write(() => insert(record)),

    replace: ({ accountId, key, lease, isDone }, to) =>
      db.write(() => sql.take.run(accountId, key, lease, Number(isDone)).changes > 0 && insert(to)),

    async finish({ accountId, key, versionId }) {
      await db.write(() => sql.finish.run(accountId, key, versionId));
    },

    async remove({ accountId, key, lease }) {
      await db.write(() => sql.remove.run(accountId, key, lease));
    },

    removeCreatedBefore: removalOf(db, idempotencyRecord, 'created_at < ?'),
  };
}

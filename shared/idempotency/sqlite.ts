import type { Database } from '../sqlite/database.ts';
import { removalOf, tableOf } from '../sqlite/table.ts';
import { type IdempotencyRecord, type IdempotencyStore, idempotencyRecord } from './idempotency-store.ts';

/** Records of repeatable writes: each change is one write of the database. */
export class SqliteIdempotency implements IdempotencyStore {
  readonly find: IdempotencyStore['find'];
  readonly removeCreatedBefore: IdempotencyStore['removeCreatedBefore'];
  readonly #db: Database;
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: Database) {
    this.find = tableOf(db, idempotencyRecord).find('WHERE account_id = ? AND key = ?');
    this.removeCreatedBefore = removalOf(db, idempotencyRecord, 'created_at < ?');
    this.#db = db;
    this.#sql = prepare(db);
  }

  insert(record: IdempotencyRecord): Promise<boolean> {
    return this.#db.write(() => this.#sql.insert(record));
  }

  replace({ accountId, key, lease, isDone }: IdempotencyRecord, to: IdempotencyRecord): Promise<boolean> {
    return this.#db.write(() => {
      const { changes } = this.#sql.take.run(accountId, key, lease, Number(isDone));
      return changes > 0 && this.#sql.insert(to);
    });
  }

  async finish({ accountId, key, versionId }: IdempotencyRecord): Promise<void> {
    await this.#db.write(() => this.#sql.finish.run(accountId, key, versionId));
  }

  async remove({ accountId, key, lease }: IdempotencyRecord): Promise<void> {
    await this.#db.write(() => this.#sql.remove.run(accountId, key, lease));
  }
}

function prepare(db: Database) {
  return {
    insert: tableOf(db, idempotencyRecord).inserting('ON CONFLICT (account_id, key) DO NOTHING'),
    finish: db.prepare(`
      UPDATE idempotency_keys SET is_done = 1 WHERE account_id = ? AND key = ? AND version_id = ?`),
    take: db.prepare(`
      DELETE FROM idempotency_keys WHERE account_id = ? AND key = ? AND lease = ? AND is_done = ?`),
    remove: db.prepare('DELETE FROM idempotency_keys WHERE account_id = ? AND key = ? AND lease = ?'),
  };
}

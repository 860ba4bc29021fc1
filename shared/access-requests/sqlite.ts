import type { Database } from '../sqlite/database.ts';
import { tableOf } from '../sqlite/table.ts';
import {
  type AccessRequest,
  type AccessRequestKey,
  type AccessRequestStore,
  accessRequestRecord,
} from './access-request-store.ts';

const isOpen = 'declined_at IS NULL';
const isOne = 'drop_id = $dropId AND account_id = $accountId';

export class SqliteAccessRequests implements AccessRequestStore {
  readonly #db: Database;
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: Database) {
    this.#db = db;
    this.#sql = prepare(db);
  }

  insert(request: Omit<AccessRequest, 'declinedAt'>, cap: number): ReturnType<AccessRequestStore['insert']> {
    return this.#db.write(() => {
      const { dropId, accountId } = request;
      if (this.#sql.isKnown.get({ dropId, accountId }) !== undefined) return 'known';
      if ((this.#sql.countOfDrop.get(dropId)?.[0] ?? 0) >= cap) return 'full';
      this.#sql.insert({ ...request, declinedAt: null });
      return 'inserted';
    });
  }

  find({ dropId, accountId }: AccessRequestKey): Promise<AccessRequest | null> {
    return this.#sql.find({ dropId, accountId });
  }

  listOpen(ownerId: string, limit: number): Promise<AccessRequest[]> {
    return this.#sql.listOpen(ownerId, limit);
  }

  async countOpen(ownerId: string, atMost: number): Promise<number> {
    return this.#sql.countOpen.get(ownerId, atMost)?.[0] ?? 0;
  }

  listOfDrop(dropId: string): Promise<AccessRequest[]> {
    return this.#sql.listOfDrop(dropId);
  }

  decline(
    { dropId, accountId, ownerId }: AccessRequestKey & { ownerId: string },
    now: number,
  ): Promise<boolean> {
    const values = { dropId, accountId, ownerId, now };
    return this.#db.write(() => this.#sql.decline.run(values).changes > 0);
  }

  async remove({ dropId, accountId }: AccessRequestKey): Promise<void> {
    await this.#db.write(() => this.#sql.remove.run({ dropId, accountId }));
  }

  async removeOfDrops(dropIds: readonly string[]): Promise<void> {
    await this.#db.write(() => this.#sql.removeOfDrops.run(JSON.stringify(dropIds)));
  }

  removeSome(accountId: string, limit: number): Promise<number> {
    return this.#db.write(() => this.#sql.removeSome.run(accountId, limit).changes);
  }
}

function prepare(db: Database) {
  const table = tableOf(db, accessRequestRecord);
  return {
    insert: table.inserting(),
    isKnown: db.prepareTuples(`SELECT 1 FROM access_requests WHERE ${isOne}`),
    countOfDrop: db.prepareTuples<[count: number]>('SELECT count(*) FROM access_requests WHERE drop_id = ?'),
    find: table.find(`WHERE ${isOne}`),
    listOpen: table.list(
      `WHERE owner_id = ? AND ${isOpen} ORDER BY created_at DESC, drop_id, account_id LIMIT ?`,
    ),
    countOpen: db.prepareTuples<[count: number]>(
      `SELECT count(*) FROM (SELECT 1 FROM access_requests WHERE owner_id = ? AND ${isOpen} LIMIT ?)`,
    ),
    listOfDrop: table.list('WHERE drop_id = ? ORDER BY account_id'),
    decline: db.prepare(
      `UPDATE access_requests SET declined_at = $now WHERE ${isOne} AND owner_id = $ownerId AND ${isOpen}`,
    ),
    remove: db.prepare(`DELETE FROM access_requests WHERE ${isOne}`),
    removeOfDrops: db.prepare(
      'DELETE FROM access_requests WHERE drop_id IN (SELECT value FROM json_each(?))',
    ),
    removeSome: db.prepare(`
      DELETE FROM access_requests WHERE (drop_id, account_id) IN (
        SELECT drop_id, account_id FROM access_requests WHERE account_id = ? LIMIT ?)`),
  };
}

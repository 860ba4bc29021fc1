import type { Database } from '../sqlite/database.ts';
import { tableOf } from '../sqlite/table.ts';
import {
  type IdentityKey,
  type IdentityStore,
  identityRecord,
  type NotedClaims,
  type StoredIdentity,
} from './identity-store.ts';

export class SqliteIdentities implements IdentityStore {
  readonly #db: Database;
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: Database) {
    this.#db = db;
    this.#sql = prepare(db);
  }

  find({ provider, subject }: IdentityKey): Promise<StoredIdentity | null> {
    return this.#sql.find(provider, subject);
  }

  listOfAccount(accountId: string): Promise<StoredIdentity[]> {
    return this.#sql.listOfAccount(accountId);
  }

  async claim(identity: StoredIdentity): Promise<StoredIdentity> {
    const isStored = await this.#db.write(() => this.#sql.insert(identity));
    const stored = isStored ? identity : await this.find(identity);
    if (stored === null) throw new Error('an identity was removed while it was claimed');
    return stored;
  }

  reassign(identity: StoredIdentity, from: string): Promise<boolean> {
    const { provider, subject } = identity;
    return this.#db.write(() => {
      const isRemoved = this.#sql.remove.run(provider, subject, from).changes > 0;
      return isRemoved && this.#sql.insert(identity);
    });
  }

  note(
    { provider, subject, accountId }: IdentityKey & { accountId: string },
    claims: NotedClaims,
    ifCheckedAt?: number,
  ): Promise<boolean> {
    const { name, email, groups, refreshToken, checkedAt } = claims;
    const noted = { name, email, groups: JSON.stringify(groups), refreshToken, checkedAt };
    const values = { provider, subject, accountId, ...noted, ifCheckedAt: ifCheckedAt ?? null };
    return this.#db.write(() => this.#sql.note.run(values).changes > 0);
  }

  listToCheck(before: number, limit: number): Promise<StoredIdentity[]> {
    return this.#sql.listToCheck(before, limit);
  }

  remove({ provider, subject, accountId }: IdentityKey & { accountId: string }): Promise<boolean> {
    return this.#db.write(() => this.#sql.remove.run(provider, subject, accountId).changes > 0);
  }

  removeSome(accountId: string, limit: number): Promise<number> {
    return this.#db.write(() => this.#sql.removeSome.run(accountId, limit).changes);
  }
}

function prepare(db: Database) {
  const table = tableOf(db, identityRecord);
  return {
    find: table.find('WHERE provider = ? AND subject = ?'),
    listOfAccount: table.list('WHERE account_id = ? ORDER BY created_at, provider, subject'),
    insert: table.inserting('ON CONFLICT (provider, subject) DO NOTHING'),
    note: db.prepare(`
      UPDATE identities SET name = $name, email = $email, groups = $groups, refresh_token = $refreshToken, checked_at = $checkedAt
      WHERE provider = $provider AND subject = $subject AND account_id = $accountId
        AND checked_at = coalesce($ifCheckedAt, checked_at)`),
    listToCheck: table.list('WHERE refresh_token IS NOT NULL AND checked_at < ? ORDER BY checked_at LIMIT ?'),
    remove: db.prepare('DELETE FROM identities WHERE provider = ? AND subject = ? AND account_id = ?'),
    removeSome: db.prepare(`
      DELETE FROM identities WHERE (provider, subject) IN (
        SELECT provider, subject FROM identities WHERE account_id = ? LIMIT ?)`),
  };
}

import type { RecordOf } from '../domain/record.ts';
import type { Access } from '../drops/access.ts';
import type { Database } from '../sqlite/database.ts';
import { type Row, removalOf, tableOf } from '../sqlite/table.ts';
import type { CredentialAccount, CredentialPosition, SessionStore, TokenStore } from './credential-stores.ts';
import { sessionIdOf, sessionRecord } from './session.ts';
import { type Token, tokenIdOf, tokenRecord } from './token.ts';

// The column tokens.is_suspended is unused: earlier releases copied the account's suspension into it.

/** The position before the first credential of a list. */
const newest: CredentialPosition = { createdAt: Number.MAX_SAFE_INTEGER, id: '' };

/** What both stores do (credentials/credential-stores.ts). */
class SqliteCredentials<R extends typeof tokenRecord | typeof sessionRecord> {
  readonly #db: Database;
  readonly #sql: ReturnType<typeof prepareCommon<R>>;
  readonly #idOf: (hash: string) => string;

  constructor(db: Database, record: R, idOf: (hash: string) => string) {
    this.#db = db;
    this.#sql = prepareCommon(db, record);
    this.#idOf = idOf;
  }

  insert(credential: RecordOf<R>): Promise<boolean> {
    return this.#db.write(() => this.#sql.insert(credential));
  }

  async findByHash(hash: string): Promise<{ credential: RecordOf<R>; account: CredentialAccount } | null> {
    const row = this.#sql.findByHash.get(this.#idOf(hash), hash);
    if (row === undefined) return null;
    const [name, isSuspended, countsAs, commentsSeen, defaultAccess, ...credential] = row;
    const account = { name, isSuspended: isSuspended !== 0, countsAs, commentsSeen, defaultAccess };
    return { credential: this.#sql.read(credential), account };
  }

  list(accountId: string, limit: number, after: CredentialPosition | null = null): Promise<RecordOf<R>[]> {
    const { createdAt, id } = after ?? newest;
    return this.#sql.list({ accountId, limit, createdAt, id });
  }

  revoke(accountId: string, id: string): Promise<boolean> {
    return this.#db.write(() => this.#sql.revoke.run(id, accountId).changes > 0);
  }

  async revokeSome(accountId: string, limit: number, exceptId: string | null = null): Promise<number> {
    // The job of a deletion looks again and again: no write if there is none.
    if (this.#sql.isAny.get(accountId, exceptId) === undefined) return 0;
    return this.#db.write(() => this.#sql.revokeSome.run(accountId, exceptId, limit).changes);
  }

  async touch(id: string, now: number, ifUsedBefore: number): Promise<void> {
    await this.#db.write(() => this.#sql.touch.run({ id, now, ifUsedBefore }));
  }
}

function prepareCommon<R extends typeof tokenRecord | typeof sessionRecord>(db: Database, record: R) {
  const { name: credentials } = record;
  const table = tableOf(db, record);
  return {
    read: table.read,
    insert: table.inserting('ON CONFLICT (id) DO NOTHING'),
    findByHash: db.prepareTuples<
      [
        name: string,
        isSuspended: number,
        countsAs: string,
        commentsSeen: number,
        defaultAccess: Access | null,
        ...Row,
      ]
    >(`
      SELECT accounts.name, accounts.suspended_at IS NOT NULL, coalesce(accounts.counts_as, accounts.id),
        accounts.comments_seen, accounts.default_access, ${table.columns}
      FROM ${credentials} JOIN accounts ON accounts.id = account_id
      WHERE ${credentials}.id = ? AND hash = ? AND accounts.deleted_at IS NULL`),
    // The first condition finds the position in the index; the second skips those of the same time.
    list: table.list(`
      WHERE account_id = $accountId AND created_at <= $createdAt AND (created_at < $createdAt OR id > $id)
      ORDER BY created_at DESC, id LIMIT $limit`),
    revoke: db.prepare(`DELETE FROM ${credentials} WHERE id = ? AND account_id = ?`),
    revokeSome: db.prepare(`
      DELETE FROM ${credentials} WHERE id IN (
        SELECT id FROM ${credentials} WHERE account_id = ? AND id IS NOT ? LIMIT ?)`),
    isAny: db.prepare(`SELECT 1 FROM ${credentials} WHERE account_id = ? AND id IS NOT ? LIMIT 1`),
    touch: db.prepare(`
      UPDATE ${credentials} SET last_used_at = $now
      WHERE id = $id AND (last_used_at IS NULL OR last_used_at < $ifUsedBefore)`),
  };
}

/** Tokens of the API, by the beginning of their hash. */
export class SqliteTokens extends SqliteCredentials<typeof tokenRecord> implements TokenStore {
  readonly find: TokenStore['find'];
  readonly removeExpiredBefore: TokenStore['removeExpiredBefore'];
  readonly #db: Database;
  readonly #sql: ReturnType<typeof prepareTokens>;

  constructor(db: Database) {
    super(db, tokenRecord, tokenIdOf);
    this.find = tableOf(db, tokenRecord).find('WHERE id = ?');
    this.removeExpiredBefore = removalOf(db, tokenRecord, 'expires_at < ?');
    this.#db = db;
    this.#sql = prepareTokens(db);
  }

  async countActive(accountId: string, now: number, atMost: number): Promise<number> {
    return this.#sql.countActive.get(accountId, now, atMost)?.[0] ?? 0;
  }

  rename(accountId: string, tokenId: string, label: string | null): Promise<Token | null> {
    return this.#db.write(() => this.#sql.rename(label, tokenId, accountId));
  }
}

function prepareTokens(db: Database) {
  return {
    countActive: db.prepareTuples<[count: number]>(`
      SELECT count(*) FROM (
        SELECT 1 FROM tokens WHERE account_id = ? AND (expires_at IS NULL OR expires_at > ?) LIMIT ?)`),
    rename: tableOf(db, tokenRecord).changing('UPDATE tokens SET label = ? WHERE id = ? AND account_id = ?'),
  };
}

/** Sessions of browsers, by the beginning of their hash. */
export class SqliteSessions extends SqliteCredentials<typeof sessionRecord> implements SessionStore {
  readonly removeUsedBefore: SessionStore['removeUsedBefore'];

  constructor(db: Database) {
    super(db, sessionRecord, sessionIdOf);
    this.removeUsedBefore = removalOf(db, sessionRecord, 'last_used_at < ?');
  }
}

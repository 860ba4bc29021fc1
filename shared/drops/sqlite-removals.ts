import type { Database } from '../sqlite/database.ts';
import type { Drop } from './drop.ts';
import type { RemovedDrop } from './drop-store.ts';
import { SqlitePeople } from './sqlite-people.ts';
import { readMetadata, SqlitePairs } from './sqlite-rows.ts';

type Removed = Pick<Drop, 'id' | 'ownerId' | 'metadata' | 'people'>;

type RemovedRow = [id: string, ownerId: string, metadata: string, people: string | null, slug: string];

/** Deletions of live drops, to be called inside a write of the database. Their data is removed by `drop.remove`. */
export class SqliteDropRemovals {
  readonly #pairs: SqlitePairs;
  readonly #people: SqlitePeople;
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: Database) {
    this.#pairs = new SqlitePairs(db);
    this.#people = new SqlitePeople(db);
    this.#sql = prepare(db);
  }

  /** Marks the drop as deleted and frees its place. */
  remove(drop: Removed, now: number): void {
    this.#sql.remove.run({ id: drop.id, now });
    this.#pairs.replace(drop, drop.metadata, new Map());
    this.#people.replace(drop.id, drop.people, null);
  }

  /** Removes drops that have expired by `now`, at most `limit`. @param ownerId null: all owners, the longest expired first */
  removeExpired(ownerId: string | null, now: number, limit: number): string[] {
    const found =
      ownerId === null
        ? this.#sql.listExpired.all({ now, limit })
        : this.#sql.listExpiredOfOwner.all({ now, limit, ownerId });
    return this.#removeAll(found, now).map(({ id }) => id);
  }

  /** Removes drops of the owner, at most `limit`. */
  removeSome(ownerId: string, now: number, limit: number): RemovedDrop[] {
    return this.#removeAll(this.#sql.listOfOwner.all({ ownerId, limit }), now);
  }

  #removeAll(rows: readonly RemovedRow[], now: number): RemovedDrop[] {
    return rows.map(([id, ownerId, metadata, listed, slug]) => {
      const people: Drop['people'] = listed === null ? null : JSON.parse(listed);
      this.remove({ id, ownerId, metadata: readMetadata(metadata), people }, now);
      return { id, slug };
    });
  }
}

function prepare(db: Database) {
  const liveBy = (index: string) =>
    `SELECT id, owner_id, metadata, people, slug FROM drops INDEXED BY ${index} WHERE deleted_at IS NULL`;
  const isExpired = 'expires_at <= $now';
  return {
    remove: db.prepare(`
      UPDATE drops SET deleted_at = $now, place = NULL, changed_at = $now, rev = rev + 1 WHERE id = $id`),
    listOfOwner: db.prepareTuples<RemovedRow>(
      `${liveBy('drops_by_owner')} AND owner_id = $ownerId LIMIT $limit`,
    ),
    listExpired: db.prepareTuples<RemovedRow>(`
      ${liveBy('drops_expiring')} AND ${isExpired} ORDER BY expires_at LIMIT $limit`),
    listExpiredOfOwner: db.prepareTuples<RemovedRow>(`
      ${liveBy('drops_by_owner')} AND owner_id = $ownerId AND ${isExpired} LIMIT $limit`),
  };
}

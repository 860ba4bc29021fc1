import type { Database } from '../sqlite/database.ts';
import type { Drop, Metadata } from './drop.ts';

/** The rows by which lists are filtered, one for each pair of a live drop's metadata. */
export function createPairs(db: Database) {
  const sql = {
    insert: db.prepare('INSERT INTO drop_metadata (owner_id, key, value, drop_id) VALUES (?, ?, ?, ?)'),
    remove: db.prepare(
      'DELETE FROM drop_metadata WHERE owner_id = ? AND key = ? AND value = ? AND drop_id = ?',
    ),
  };
  return {
    /** To be called inside a write of the database. */
    replace({ id, ownerId }: Pick<Drop, 'id' | 'ownerId'>, from: Metadata, to: Metadata): void {
      for (const [key, value] of from) if (to.get(key) !== value) sql.remove.run(ownerId, key, value, id);
      for (const [key, value] of to) if (from.get(key) !== value) sql.insert.run(ownerId, key, value, id);
    },
  };
}

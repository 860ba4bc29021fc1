import type { CardStore } from '../../ports/card-store.ts';
import type { Database } from './database.ts';
import { writeInSlices } from './database.ts';

export function createSqliteCardStore(db: Database): CardStore {
  const sql = {
    put: db.prepare(`
      INSERT INTO cards (drop_id, digest, png) VALUES (?, ?, ?)
      ON CONFLICT (drop_id) DO UPDATE SET digest = excluded.digest, png = excluded.png`),
    find: db.prepareTuples('SELECT digest, png FROM cards WHERE drop_id = ?'),
    delete: db.prepare('DELETE FROM cards WHERE drop_id = ?'),
    listIds: db.prepareTuples(
      'SELECT drop_id FROM cards WHERE drop_id > ? AND drop_id < ? ORDER BY drop_id LIMIT ?',
    ),
  };

  return {
    async put(dropId, { digest, png }) {
      await db.write(() => sql.put.run(dropId, digest, png));
    },

    async find(dropId) {
      const row = sql.find.get(dropId) as [digest: string, png: Uint8Array] | undefined; // proof: the columns selected
      return row === undefined ? null : { digest: row[0], png: row[1] };
    },

    async delete(dropIds) {
      await writeInSlices(db, dropIds, (id) => sql.delete.run(id));
    },

    async listIds(after, below, limit) {
      const rows = sql.listIds.all(after, below, limit) as [string][]; // proof: the column selected
      return rows.map(([id]) => id);
    },
  };
}

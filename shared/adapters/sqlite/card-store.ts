import type { CardStore, StoredCard } from '../../ports/card-store.ts';
import type { Database } from './database.ts';
import { blobIds } from './table.ts';

export function createSqliteCardStore(db: Database): CardStore {
  const sql = {
    put: db.prepare(`
      INSERT INTO cards (drop_id, digest, png) VALUES (?, ?, ?)
      ON CONFLICT (drop_id) DO UPDATE SET digest = excluded.digest, png = excluded.png`),
    find: db.prepare<StoredCard>('SELECT digest, png FROM cards WHERE drop_id = ?'),
  };

  return {
    async put(dropId, { digest, png }) {
      await db.write(() => sql.put.run(dropId, digest, png));
    },

    find: async (dropId) => sql.find.get(dropId) ?? null,

    ...blobIds(db, 'cards', 'drop_id'),
  };
}

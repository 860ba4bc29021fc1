import type { Database } from '../sqlite/database.ts';
import { blobIds, tableOf } from '../sqlite/table.ts';
import { type BlobStore, type CardStore, cardRecord } from './blob-store.ts';

type BlobTable = 'html_blobs' | 'context_blobs';

/** Values: id, bytes. Also for the drop store, which stores a document together with its record. */
export function putBlobSql(table: BlobTable): string {
  return `INSERT INTO ${table} (id, bytes) VALUES (?, ?) ON CONFLICT (id) DO NOTHING`;
}

export function createSqliteBlobStore(db: Database, table: BlobTable): BlobStore {
  const sql = {
    put: db.prepare(putBlobSql(table)),
    get: db.prepareTuples<[bytes: Uint8Array]>(`SELECT bytes FROM ${table} WHERE id = ?`),
  };

  return {
    async put(id, bytes) {
      await db.write(() => sql.put.run(id, bytes));
    },

    get: async (id) => sql.get.get(id)?.[0] ?? null,

    ...blobIds(db, table, 'id'),
  };
}

export function createSqliteCardStore(db: Database): CardStore {
  const table = tableOf(db, cardRecord);
  const put = table.inserting(`
    ON CONFLICT (drop_id) DO UPDATE SET digest = excluded.digest, png = excluded.png`);

  return {
    async put(dropId, card) {
      await db.write(() => put({ dropId, ...card }));
    },

    find: table.find('WHERE drop_id = ?'),

    ...blobIds(db, 'cards', 'drop_id'),
  };
}

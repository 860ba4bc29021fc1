import type { BlobStore } from '../../ports/blob-store.ts';
import type { Database } from './database.ts';
import { writeInSlices } from './database.ts';

type BlobTable = 'html_blobs' | 'context_blobs';

/** Values: id, bytes. Also for the drop store, which stores a document together with its record. */
export function putBlobSql(table: BlobTable): string {
  return `INSERT INTO ${table} (id, bytes) VALUES (?, ?) ON CONFLICT (id) DO NOTHING`;
}

export function createSqliteBlobStore(db: Database, table: BlobTable): BlobStore {
  const sql = {
    put: db.prepare(putBlobSql(table)),
    get: db.prepareTuples(`SELECT bytes FROM ${table} WHERE id = ?`),
    delete: db.prepare(`DELETE FROM ${table} WHERE id = ?`),
    listIds: db.prepareTuples(`SELECT id FROM ${table} WHERE id > ? AND id < ? ORDER BY id LIMIT ?`),
  };

  return {
    async put(id, bytes) {
      await db.write(() => sql.put.run(id, bytes));
    },

    async get(id) {
      const row = sql.get.get(id) as [Uint8Array] | undefined; // proof: the column selected
      return row?.[0] ?? null;
    },

    async delete(ids) {
      await writeInSlices(db, ids, (id) => sql.delete.run(id));
    },

    async listIds(after, below, limit) {
      const rows = sql.listIds.all(after, below, limit) as [string][]; // proof: the column selected
      return rows.map(([id]) => id);
    },
  };
}

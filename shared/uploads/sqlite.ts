import type { Database } from '../sqlite/database.ts';
import { removalOf, tableOf } from '../sqlite/table.ts';
import { type UploadStore, uploadRecord } from './upload-store.ts';

export function createSqliteUploadStore(db: Database): UploadStore {
  const table = tableOf(db, uploadRecord);
  const insert = table.inserting();

  return {
    async insert(upload) {
      await db.write(() => insert(upload));
    },

    find: table.find('WHERE hash = ?'),

    removeExpiredBefore: removalOf(db, uploadRecord, 'expires_at < ?'),
  };
}

import type { Upload, UploadStore } from '../../ports/upload-store.ts';
import type { Database } from './database.ts';

export function createSqliteUploadStore(db: Database): UploadStore {
  const sql = {
    insert: db.prepare('INSERT INTO uploads (hash, token_hash, request, expires_at) VALUES (?, ?, ?, ?)'),
    find: db.prepare(`
      SELECT hash, token_hash AS tokenHash, request, expires_at AS expiresAt FROM uploads WHERE hash = ?`),
    isAnyOld: db.prepare('SELECT 1 FROM uploads WHERE expires_at < ? LIMIT 1'),
    remove: db.prepare('DELETE FROM uploads WHERE expires_at < ?'),
  };

  return {
    async insert({ hash, tokenHash, request, expiresAt }) {
      await db.write(() => sql.insert.run(hash, tokenHash, request, expiresAt));
    },

    async find(hash) {
      const row = sql.find.get(hash) as Upload | undefined; // proof: the columns selected
      return row === undefined ? null : { ...row };
    },

    async removeExpiredBefore(time) {
      if (sql.isAnyOld.get(time) === undefined) return; // the job calls this often, and mostly there is nothing to do
      await db.write(() => sql.remove.run(time));
    },
  };
}

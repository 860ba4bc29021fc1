import type { Database } from '../sqlite/database.ts';
import { removalOf, tableOf } from '../sqlite/table.ts';
import { type Upload, type UploadStore, uploadRecord } from './upload-store.ts';

export class SqliteUploads implements UploadStore {
  readonly find: UploadStore['find'];
  readonly removeExpiredBefore: UploadStore['removeExpiredBefore'];
  readonly #db: Database;
  readonly #insert: (upload: Upload) => boolean;

  constructor(db: Database) {
    const table = tableOf(db, uploadRecord);
    this.find = table.find('WHERE hash = ?');
    this.removeExpiredBefore = removalOf(db, uploadRecord, 'expires_at < ?');
    this.#db = db;
    this.#insert = table.inserting();
  }

  async insert(upload: Upload): Promise<void> {
    await this.#db.write(() => this.#insert(upload));
  }
}

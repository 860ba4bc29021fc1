import type { Database, Statement } from '../sqlite/database.ts';
import { blobIds, tableOf } from '../sqlite/table.ts';
import { type BlobStore, type CardStore, cardRecord, type StoredCard } from './blob-store.ts';

type BlobTable = 'html_blobs' | 'context_blobs';

/** Values: id, bytes. Also for the drop store, which stores a document together with its record. */
export function putBlobSql(table: BlobTable): string {
  return `INSERT INTO ${table} (id, bytes) VALUES (?, ?) ON CONFLICT (id) DO NOTHING`;
}

export class SqliteBlobs implements BlobStore {
  readonly delete: BlobStore['delete'];
  readonly listIds: BlobStore['listIds'];
  readonly #db: Database;
  readonly #put: Statement;
  readonly #get;

  constructor(db: Database, table: BlobTable) {
    const ids = blobIds(db, table, 'id');
    this.delete = ids.delete;
    this.listIds = ids.listIds;
    this.#db = db;
    this.#put = db.prepare(putBlobSql(table));
    this.#get = db.prepareTuples<[bytes: Uint8Array]>(`SELECT bytes FROM ${table} WHERE id = ?`);
  }

  async put(id: string, bytes: Uint8Array): Promise<void> {
    await this.#db.write(() => this.#put.run(id, bytes));
  }

  async get(id: string): Promise<Uint8Array | null> {
    return this.#get.get(id)?.[0] ?? null;
  }
}

export class SqliteCards implements CardStore {
  readonly find: CardStore['find'];
  readonly delete: CardStore['delete'];
  readonly listIds: CardStore['listIds'];
  readonly #db: Database;
  readonly #put;

  constructor(db: Database) {
    const table = tableOf(db, cardRecord);
    const ids = blobIds(db, 'cards', 'drop_id');
    this.find = table.find('WHERE drop_id = ?');
    this.delete = ids.delete;
    this.listIds = ids.listIds;
    this.#db = db;
    this.#put = table.inserting(`
      ON CONFLICT (drop_id) DO UPDATE SET digest = excluded.digest, png = excluded.png`);
  }

  async put(dropId: string, card: StoredCard): Promise<void> {
    await this.#db.write(() => this.#put({ dropId, ...card }));
  }
}

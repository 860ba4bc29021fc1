import { putBlobSql } from '../blobs/sqlite.ts';
import type { Clock } from '../domain/clock.ts';
import { columnOf } from '../domain/record.ts';
import { accessWith } from '../drops/access.ts';
import { foldTexts } from '../drops/search.ts';
import { SqlitePeople } from '../drops/sqlite-people.ts';
import { SqliteDropInserts, SqlitePairs } from '../drops/sqlite-rows.ts';
import type { Database } from '../sqlite/database.ts';
import { isConstraint } from '../sqlite/result-codes.ts';
import {
  type ArchivedDrop,
  type ArchiveRecord,
  archiveId,
  archiveTables,
  type TableKind,
  tableKinds,
} from './archive.ts';
import type {
  ArchivedBlob,
  ArchiveSnapshot,
  ArchiveStore,
  BlobFolder,
  StoredKind,
  UnfinishedImport,
} from './archive-store.ts';
import { openTable, SqliteSnapshot } from './sqlite-snapshot.ts';

/** `UnfinishedImport`; no row: none. */
export const unfinishedImportSql = 'SELECT archive_id AS archiveId, begun_at AS begunAt FROM imports';

/** A mark that is there stays. Values: archive id, Unix ms. */
export const beginImportSql =
  'INSERT INTO imports (id, archive_id, begun_at) VALUES (1, ?, ?) ON CONFLICT (id) DO NOTHING';

/** Each call that writes is one write of the database, so all its records or blobs are stored, or none. */
export class SqliteArchives implements ArchiveStore {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #sql: ReturnType<typeof prepare>;
  readonly #insertDrop: (drop: ArchivedDrop) => void;
  readonly #inserts: ReadonlyMap<StoredKind, (record: ArchiveRecord) => void>;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    this.#sql = prepare(db);
    this.#insertDrop = createDropInsert(db);
    this.#inserts = new Map(tableKinds.map((kind) => [kind, createInsert(db, kind)]));
  }

  async openSnapshot(): Promise<ArchiveSnapshot> {
    return new SqliteSnapshot(this.#db.openSnapshot(), this.#clock.now());
  }

  async countRecords(): Promise<Partial<Record<StoredKind, number>>> {
    const counts = Object.entries(this.#sql.count.get() ?? {});
    return Object.fromEntries(counts.filter(([, records]) => records > 0));
  }

  async findUnfinishedImport(): Promise<UnfinishedImport | null> {
    return this.#sql.find.get() ?? null;
  }

  async beginImport({ archiveId: id, begunAt }: UnfinishedImport): Promise<void> {
    await this.#db.write(() => this.#sql.begin.run(id, begunAt));
  }

  async endImport(): Promise<void> {
    await this.#db.write(() => this.#sql.end.run());
  }

  async write<K extends StoredKind>(kind: K, records: readonly ArchiveRecord<K>[]): Promise<void> {
    const insertDrop = (record: ArchiveRecord) => this.#insertDrop(record as ArchivedDrop); // proof: the other kind
    const insert = this.#inserts.get(kind) ?? insertDrop;
    await this.#db.write(() => {
      for (const record of records) {
        try {
          insert(record);
        } catch (cause) {
          if (!isConstraint(cause)) throw cause;
          const id = archiveId(kind, record);
          throw new Error(`${kind} ${id} cannot be stored: ${cause.message}`, { cause });
        }
      }
    });
  }

  async writeBlobs(folder: BlobFolder, blobs: readonly ArchivedBlob[]): Promise<void> {
    await this.#db.write(() => {
      for (const { id, bytes } of blobs) this.#sql[folder].run(id, bytes);
    });
  }
}

function prepare(db: Database) {
  const tables = [...tableKinds.map((kind) => [kind, archiveTables[kind].record.name]), ['drops', 'drops']];
  const counts = tables.map(([kind, name]) => `(SELECT count(*) FROM ${name}) AS "${kind}"`).join(', ');
  return {
    find: db.prepare<UnfinishedImport>(unfinishedImportSql),
    begin: db.prepare(beginImportSql),
    end: db.prepare('DELETE FROM imports'),
    count: db.prepare<Readonly<Record<string, number>>>(`SELECT ${counts}`),
    html: db.prepare(putBlobSql('html_blobs')),
    contexts: db.prepare(putBlobSql('context_blobs')),
  };
}

/** Stores a record unless it is there. To be called inside a write of the database. */
function createInsert(db: Database, kind: TableKind): (record: ArchiveRecord) => void {
  const { record, toStored } = archiveTables[kind];
  const insert = openTable(db, kind).inserting(`ON CONFLICT (${record.key.map(columnOf)}) DO NOTHING`);
  return (archived) => void insert(toStored(archived));
}

function createDropInsert(db: Database): (drop: ArchivedDrop) => void {
  const pairs = new SqlitePairs(db);
  const people = new SqlitePeople(db);
  const inserts = new SqliteDropInserts(db, 'id');
  const sql = {
    // The next place is free, because no other write adds drops.
    nextPlace: db.prepareTuples<[place: number]>(
      'SELECT coalesce(max(place), -1) + 1 FROM drops WHERE owner_id = ? AND deleted_at IS NULL',
    ),
    day: db.prepare('INSERT INTO day_views (drop_id, day, count, views_batch) VALUES (?, ?, ?, 0)'),
  };

  return (drop) => {
    const { id, ownerId, lock, versions, days } = drop;
    const head = versions.at(-1);
    if (head === undefined) throw new Error(`drops ${id} has no version`);
    const metadata = new Map(drop.metadata);
    const access = accessWith(lock, drop.access);
    const stored = { ...drop, access, metadata, locked: lock !== null, latestVersion: head.number };
    const [place] = sql.nextPlace.get(ownerId) ?? [0];
    if (!inserts.insertDrop(stored, { folded: foldTexts(drop), lock, place, head, tasks: [] })) return;
    for (const version of versions) inserts.insertVersion(drop, version);
    for (const [day, views] of days) sql.day.run(id, day, views);
    pairs.replace(drop, new Map(), metadata);
    people.replace(id, null, drop.people);
  };
}

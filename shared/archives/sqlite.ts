import { putBlobSql } from '../blobs/sqlite.ts';
import { wholeCommentsOf } from '../comments/sqlite-rows.ts';
import type { Clock } from '../domain/clock.ts';
import { columnOf } from '../domain/record.ts';
import { foldTexts } from '../drops/search.ts';
import {
  createPairs,
  createRowInserts,
  type DropRow,
  dropColumns,
  isLive,
  toDrop,
  toOwnedVersion,
  type VersionRow,
  versionColumns,
} from '../drops/sqlite-rows.ts';
import { auditColumns } from '../moderation/sqlite.ts';
import type { Database, Snapshot } from '../sqlite/database.ts';
import { isConstraint } from '../sqlite/result-codes.ts';
import { type Table, tableOf } from '../sqlite/table.ts';
import {
  type ArchivedDrop,
  type ArchiveRecord,
  archiveId,
  archiveTables,
  recordsPerBatch,
  type TableKind,
  tableKinds,
  toArchivedDrop,
} from './archive.ts';
import type { ArchiveSnapshot, ArchiveStore, StoredKind, UnfinishedImport } from './archive-store.ts';

/** With up to 200 versions each. */
const dropsPerBatch = 100;

/** `UnfinishedImport`; no row: none. */
export const unfinishedImportSql = 'SELECT archive_id AS archiveId, begun_at AS begunAt FROM imports';

/** A mark that is there stays. Values: archive id, Unix ms. */
export const beginImportSql =
  'INSERT INTO imports (id, archive_id, begun_at) VALUES (1, ?, ?) ON CONFLICT (id) DO NOTHING';

export function createSqliteArchiveStore(db: Database, clock: Clock): ArchiveStore {
  const tables = [...tableKinds.map((kind) => [kind, archiveTables[kind].record.name]), ['drops', 'drops']];
  const counts = tables.map(([kind, name]) => `(SELECT count(*) FROM ${name}) AS "${kind}"`).join(', ');
  const sql = {
    find: db.prepare<UnfinishedImport>(unfinishedImportSql),
    begin: db.prepare(beginImportSql),
    end: db.prepare('DELETE FROM imports'),
    count: db.prepare<Readonly<Record<string, number>>>(`SELECT ${counts}`),
    html: db.prepare(putBlobSql('html_blobs')),
    contexts: db.prepare(putBlobSql('context_blobs')),
  };
  const insertDrop = createDropInsert(db);
  const inserts = new Map(tableKinds.map((kind) => [kind as StoredKind, createInsert(db, kind)]));

  return {
    openSnapshot: async () => createSnapshot(db.openSnapshot(), clock.now()),

    async countRecords() {
      return Object.fromEntries(Object.entries(sql.count.get() ?? {}).filter(([, records]) => records > 0));
    },

    findUnfinishedImport: async () => sql.find.get() ?? null,

    async beginImport({ archiveId: id, begunAt }) {
      await db.write(() => sql.begin.run(id, begunAt));
    },

    async endImport() {
      await db.write(() => sql.end.run());
    },

    /** All records or none. */
    async write(kind, records) {
      const insert = inserts.get(kind) ?? ((record) => insertDrop(record as ArchivedDrop)); // proof: the other kind
      await db.write(() => {
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
    },

    async writeBlobs(folder, blobs) {
      await db.write(() => {
        for (const { id, bytes } of blobs) sql[folder].run(id, bytes);
      });
    },
  };
}

/** The table of the kind, with any of its records. */
function openTable(
  db: Pick<Database, 'prepare' | 'prepareTuples'>,
  kind: TableKind,
): Pick<Table<Readonly<Record<string, unknown>>>, 'list' | 'inserting'> {
  // proof: its archived records
  if (kind === 'comments') return wholeCommentsOf(db) as unknown as ReturnType<typeof openTable>;
  return tableOf(db, archiveTables[kind].record, kind === 'audit-log' ? auditColumns : {});
}

type ArchivedRow = [
  lockId: string | null,
  lockHash: string | null,
  versions: string,
  days: string,
  ...DropRow,
];

/** @param now Unix ms: drops that have expired by then are left out */
function createSnapshot(db: Snapshot, now: number): ArchiveSnapshot {
  const liveDrops = `
    SELECT lock_id, lock_hash,
      (SELECT json_group_array(json_array(${versionColumns}) ORDER BY number)
        FROM drop_versions WHERE drop_id = drops.id),
      (SELECT json_group_array(json_array(day, count) ORDER BY day) FROM day_views WHERE drop_id = drops.id),
      ${dropColumns}
    FROM drops WHERE ${isLive('$now')}`;
  const sql = {
    drops: db.prepareTuples<ArchivedRow>(`${liveDrops} AND id > $after ORDER BY id LIMIT ${dropsPerBatch}`),
    drop: db.prepareTuples<ArchivedRow>(`${liveDrops} AND id = $id`),
    html: db.prepareTuples<[bytes: Uint8Array]>('SELECT bytes FROM html_blobs WHERE id = ?'),
    contexts: db.prepareTuples<[bytes: Uint8Array]>('SELECT bytes FROM context_blobs WHERE id = ?'),
  };

  function toArchived([lockId, lockHash, versions, days, ...row]: ArchivedRow): ArchivedDrop {
    const versionRows: VersionRow[] = JSON.parse(versions);
    return toArchivedDrop(toDrop(row), {
      lock: lockId === null || lockHash === null ? null : { id: lockId, hash: lockHash },
      versions: versionRows.map(toOwnedVersion),
      days: JSON.parse(days),
    });
  }

  async function* readDrops(): AsyncGenerator<readonly ArchivedDrop[]> {
    let drops = sql.drops.all({ now, after: '' }).map(toArchived);
    for (let last = drops.at(-1); last !== undefined; last = drops.at(-1)) {
      yield drops;
      drops = sql.drops.all({ now, after: last.id }).map(toArchived);
    }
  }

  async function* readTable(kind: TableKind): AsyncGenerator<readonly ArchiveRecord[]> {
    const { record, toArchived } = archiveTables[kind];
    const key = record.key.map(columnOf).join(', ');
    const after = record.key.map(() => '?').join(', ');
    const next = openTable(db, kind).list(
      `WHERE (${key}) > (${after}) ORDER BY ${key} LIMIT ${recordsPerBatch(kind)}`,
    );
    let rows = await next(...record.key.map(() => ''));
    for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
      yield rows.map(toArchived).filter((archived) => archived !== null);
      const lastKey = record.key.map((name) => String(last?.[name]));
      rows = await next(...lastKey);
    }
  }

  return {
    read<K extends StoredKind>(kind: StoredKind) {
      const records = kind === 'drops' ? readDrops() : readTable(kind);
      return records as AsyncIterable<readonly ArchiveRecord<K>[]>; // proof: of that kind
    },

    readDropAgain: async (id) => sql.drop.all({ now, id }).map(toArchived)[0] ?? null,

    async readBlobs(folder, ids) {
      const found = ids.map((id) => [id, sql[folder].get(id)?.[0]] as const);
      return new Map(found.filter((each): each is [string, Uint8Array] => each[1] !== undefined));
    },

    close: async () => db.close(),
  };
}

/** Stores a record unless it is there. To be called inside a write of the database. */
function createInsert(db: Database, kind: TableKind): (record: ArchiveRecord) => void {
  const { record, toStored } = archiveTables[kind];
  const insert = openTable(db, kind).inserting(`ON CONFLICT (${record.key.map(columnOf)}) DO NOTHING`);
  return (archived) => void insert(toStored(archived));
}

function createDropInsert(db: Database): (drop: ArchivedDrop) => void {
  const pairs = createPairs(db);
  const rows = createRowInserts(db, 'id');
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
    const stored = { ...drop, metadata, locked: lock !== null, latestVersion: head.number };
    const [place] = sql.nextPlace.get(ownerId) ?? [0];
    if (!rows.insertDrop(stored, { folded: foldTexts(drop), lock, place, head, tasks: [] })) return;
    for (const version of versions) rows.insertVersion(drop, version);
    for (const [day, views] of days) sql.day.run(id, day, views);
    pairs.replace(drop, new Map(), metadata);
  };
}

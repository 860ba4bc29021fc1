import { putBlobSql } from '../blobs/sqlite.ts';
import type { Clock } from '../domain/clock.ts';
import { columnOf } from '../domain/record.ts';
import { foldTexts } from '../drops/search.ts';
import { createPairs } from '../drops/sqlite-pairs.ts';
import {
  insertVersionSql,
  lockValues,
  publisherValues,
  versionValues,
  writeMetadata,
} from '../drops/sqlite-rows.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import type { Database } from '../sqlite/database.ts';
import { isConstraint } from '../sqlite/result-codes.ts';
import { type ArchivedDrop, type ArchivedSecret, type ArchiveRecord, archiveId } from './archive.ts';
import type { ArchiveStore, UnfinishedImport } from './archive-store.ts';
import { archiveTables, type TableKind, tableKinds } from './archive-tables.ts';
import { createSqliteSnapshot, openTable } from './sqlite-snapshot.ts';

/** A mark that is there stays. Values: archive id, Unix ms. */
export const beginImportSql =
  'INSERT INTO imports (id, archive_id, begun_at) VALUES (1, ?, ?) ON CONFLICT (id) DO NOTHING';

export function createSqliteArchiveStore(deps: {
  db: Database;
  /** Files beside the database. */
  secrets: SecretStore;
  clock: Clock;
}): ArchiveStore {
  const { db, secrets, clock } = deps;
  const tables = [...tableKinds.map((kind) => [kind, archiveTables[kind].record.name]), ['drops', 'drops']];
  const counts = tables.map(([kind, name]) => `(SELECT count(*) FROM ${name}) AS "${kind}"`).join(', ');
  const sql = {
    find: db.prepare<UnfinishedImport>('SELECT archive_id AS archiveId, begun_at AS begunAt FROM imports'),
    begin: db.prepare(beginImportSql),
    end: db.prepare('DELETE FROM imports'),
    count: db.prepare<Readonly<Record<string, number>>>(`SELECT ${counts}`),
    html: db.prepare(putBlobSql('html_blobs')),
    contexts: db.prepare(putBlobSql('context_blobs')),
  };
  const insertDrop = createDropInsert(db);
  const inserts = new Map(tableKinds.map((kind) => [kind as string, createInsert(db, kind)]));

  return {
    openSnapshot: async () => createSqliteSnapshot(db.openSnapshot(), secrets, clock.now()),

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

    /** All records or none, except secrets. */
    async write(kind, records) {
      if (kind === 'secrets') {
        const all = records as readonly ArchivedSecret[]; // proof: of that kind
        for (const { name, value } of all) await secrets.replace(name, value);
        return;
      }
      const insert = inserts.get(kind) ?? ((record) => insertDrop(record as ArchivedDrop)); // proof: the other kind
      await db.write(() => {
        for (const record of records) {
          try {
            insert(record);
          } catch (cause) {
            if (!isConstraint(cause)) throw cause;
            throw new Error(`${kind} ${archiveId(record)} cannot be stored: ${cause.message}`, { cause });
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

/** Stores a record unless it is there. To be called inside a write of the database. */
function createInsert(db: Database, kind: TableKind): (record: ArchiveRecord) => void {
  const { record, toStored } = archiveTables[kind];
  const insert = openTable(db, kind).inserting(`ON CONFLICT (${record.key.map(columnOf)}) DO NOTHING`);
  return (archived) => void insert(toStored(archived));
}

function createDropInsert(db: Database): (drop: ArchivedDrop) => void {
  const pairs = createPairs(db);
  const sql = {
    // The next place is free, because no other write adds drops.
    drop: db.prepare(`
      INSERT INTO drops (id, owner_id, slug, title, description, folded, metadata, lock_id, lock_hash, latest_version,
        head_id, head_size_bytes, head_has_context, head_media_type, head_created_at, view_count, place,
        created_at, updated_at, changed_at, rev, taken_down_at, takedown_reason, expires_at,
        owed_render, owed_purge)
      VALUES ($id, $ownerId, $slug, $title, $description, $folded, $metadata, $lockId, $lockHash, $latestVersion,
        $versionId, $sizeBytes, $hasContext, $mediaType, $headCreatedAt, $viewCount,
        (SELECT coalesce(max(place), -1) + 1 FROM drops WHERE owner_id = $ownerId AND deleted_at IS NULL),
        $createdAt, $updatedAt, $updatedAt, $rev, $takenDownAt, $takedownReason, $expiresAt, 0, 0)
      ON CONFLICT (id) DO NOTHING`),
    version: db.prepare(insertVersionSql),
    day: db.prepare('INSERT INTO day_views (drop_id, day, count, views_batch) VALUES (?, ?, ?, 0)'),
  };

  return (drop) => {
    const { id, ownerId, versions, days } = drop;
    if (sql.drop.run(dropValues(drop)).changes === 0) return;
    for (const version of versions) {
      const { number } = version;
      sql.version.run({ id, ownerId, number, ...versionValues(version), ...publisherValues(version) });
    }
    for (const [day, views] of days) sql.day.run(id, day, views);
    pairs.replace(drop, new Map(), new Map(drop.metadata));
  };
}

function dropValues(drop: ArchivedDrop) {
  const { lock, takedown, versions, days: _, ...fields } = drop;
  const head = versions.at(-1);
  if (head === undefined) throw new Error(`drops ${drop.id} has no version`);
  const { createdAt: headCreatedAt, ...latest } = versionValues(head);
  return {
    ...{ ...fields, ...latest, headCreatedAt, latestVersion: head.number, ...lockValues(lock) },
    folded: foldTexts(drop),
    metadata: writeMetadata(new Map(drop.metadata)),
    takenDownAt: takedown?.at ?? null,
    takedownReason: takedown?.reason ?? null,
  };
}

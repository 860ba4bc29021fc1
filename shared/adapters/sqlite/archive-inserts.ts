import { accountRecord } from '../../domain/account.ts';
import type { ArchivedDrop, ArchiveKind, ArchiveRecord } from '../../domain/archive.ts';
import { reportRecord } from '../../domain/report.ts';
import { foldTexts } from '../../domain/search.ts';
import { tokenRecord } from '../../domain/token.ts';
import { idempotencyRecord } from '../../ports/idempotency-store.ts';
import { auditTableOf } from './audit-log.ts';
import type { Database } from './database.ts';
import { createPairs } from './drop-pairs.ts';
import { insertVersionSql, lockValues, publisherValues, versionValues, writeMetadata } from './drop-rows.ts';
import { tableOf } from './table.ts';

/** Each stores a record unless it is there. To be called inside a write of the database. */
type Inserts = { readonly [K in Exclude<ArchiveKind, 'secrets'>]: (record: ArchiveRecord<K>) => void };

/** How records of archives become rows. */
export function createArchiveInserts(db: Database): Inserts {
  const pairs = createPairs(db);
  const unlessThere = (key = 'id') => `ON CONFLICT (${key}) DO NOTHING`;
  const insertAccount = tableOf(db, accountRecord).inserting(unlessThere());
  const insertKey = tableOf(db, idempotencyRecord).inserting(unlessThere('account_id, key'));
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
      ${unlessThere()}`),
    version: db.prepare(insertVersionSql),
    day: db.prepare('INSERT INTO day_views (drop_id, day, count, views_batch) VALUES (?, ?, ?, 0)'),
  };

  function insertDrop(drop: ArchivedDrop): void {
    const { id, ownerId, versions, days } = drop;
    if (sql.drop.run(dropValues(drop)).changes === 0) return;
    for (const version of versions) {
      const { number } = version;
      sql.version.run({ id, ownerId, number, ...versionValues(version), ...publisherValues(version) });
    }
    for (const [day, views] of days) sql.day.run(id, day, views);
    pairs.replace(drop, new Map(), new Map(drop.metadata));
  }

  return {
    accounts({ identity, dayWrites, ...account }) {
      const { day, count: dayCount } = dayWrites ?? { day: '', count: 0 };
      insertAccount({ ...account, ...identity, day, dayCount, deletedAt: null });
    },
    tokens: tableOf(db, tokenRecord).inserting(unlessThere()),
    'idempotency-keys': (key) => insertKey({ ...key, lease: '', leasedUntil: 0, isDone: true }),
    drops: insertDrop,
    reports: tableOf(db, reportRecord).inserting(unlessThere()),
    'audit-log': auditTableOf(db).inserting(unlessThere()),
  };
}

function dropValues(drop: ArchivedDrop) {
  const { id, ownerId, slug, title, description, viewCount, rev, createdAt, updatedAt, expiresAt } = drop;
  const head = drop.versions.at(-1);
  if (head === undefined) throw new Error(`drops ${id} has no version`);
  const { createdAt: headCreatedAt, ...latest } = versionValues(head);
  return {
    ...{ id, ownerId, slug, title, description, viewCount, rev, createdAt, updatedAt, expiresAt },
    ...{ ...latest, headCreatedAt, latestVersion: head.number },
    ...lockValues(drop.lock),
    folded: foldTexts(drop),
    metadata: writeMetadata(new Map(drop.metadata)),
    takenDownAt: drop.takedown?.at ?? null,
    takedownReason: drop.takedown?.reason ?? null,
  };
}

import type { DetailChanges, Drop, NewDrop, NewVersion, PendingTask, Version } from '../../domain/drop.ts';
import type { Takedown } from '../../domain/moderation.ts';
import type { DropStore } from '../../ports/drop-store.ts';
import type { Database } from './database.ts';
import { createDropMetadata } from './drop-metadata.ts';
import { createDropPlaces } from './drop-places.ts';
import { changed, type DropRow, dropColumns, taskValues, toDrop, writeMetadata } from './drop-rows.ts';
import { createDropVersions } from './drop-versions.ts';
import type { PageMemory } from './page-memory.ts';

const details = 'title = $title, description = $description, metadata = $metadata';

const head = `
  latest_version = $latestVersion, head_id = $headId, head_size_bytes = $headSizeBytes,
  head_has_context = $headHasContext, head_media_type = $headMediaType, head_created_at = $headCreatedAt`;

type DropWrites = Pick<
  DropStore,
  'create' | 'addVersion' | 'changeDetails' | 'setLock' | 'removeVersion' | 'remove'
>;

/** Each method is one write of the database, so what it reads holds until it is done. */
export function createDropWrites(db: Database, memory: PageMemory): DropWrites {
  const places = createDropPlaces(db);
  const versions = createDropVersions(db);
  const metadata = createDropMetadata(db);
  const sql = {
    find: db.prepareTuples(`
      SELECT ${dropColumns} FROM drops WHERE owner_id = ? AND slug = ? AND deleted_at IS NULL`),
    findById: db.prepareTuples(`SELECT ${dropColumns} FROM drops WHERE id = ?`),
    insert: db.prepare(`
      INSERT INTO drops (id, owner_id, slug, title, description, metadata, lock_id, lock_hash, latest_version,
        version_count, head_id, head_size_bytes, head_has_context, head_media_type, head_created_at, place,
        created_at, updated_at, changed_at, owed_render, owed_purge)
      VALUES ($id, $ownerId, $slug, $title, $description, $metadata, $lockId, $lockHash, $latestVersion,
        1, $headId, $headSizeBytes, $headHasContext, $headMediaType, $headCreatedAt, $place,
        $headCreatedAt, $headCreatedAt, $headCreatedAt, $renderPending, $purgePending)
      ON CONFLICT (slug) DO NOTHING`),
    addVersion: db.prepare(`
      UPDATE drops SET ${details}, ${head}, version_count = version_count + 1, updated_at = $now, ${changed}
      WHERE id = $id AND version_count < $cap`),
    changeDetails: db.prepare(`UPDATE drops SET ${details}, updated_at = $now, ${changed} WHERE id = $id`),
    setLock: db.prepare(`
      UPDATE drops SET lock_id = $lockId, lock_hash = $lockHash, updated_at = $now, ${changed} WHERE id = $id`),
    removeVersion: db.prepare(`
      UPDATE drops SET version_count = version_count - 1, has_trash = 1, updated_at = $now, ${changed}
      WHERE id = $id AND version_count > 1`),
    moveHead: db.prepare(`UPDATE drops SET ${head} WHERE id = $id`),
    remove: db.prepare(`
      UPDATE drops SET deleted_at = $now, place = NULL, changed_at = $now, rev = rev + 1 WHERE id = $id`),
  };

  /** Changes the owner's live drop in one write, unless it is taken down; null: there is none. */
  function changeShown<T>(
    ownerId: string,
    slug: string,
    work: (drop: Drop) => T,
  ): Promise<T | Takedown | null> {
    return change(ownerId, slug, (drop) => drop.takedown ?? work(drop));
  }

  /** Changes the owner's live drop in one write; null: there is none. */
  function change<T>(ownerId: string, slug: string, work: (drop: Drop) => T): Promise<T | null> {
    return db.write(() => {
      memory.forget(slug);
      const row = sql.find.get(ownerId, slug) as DropRow | undefined; // proof: `dropColumns`
      return row === undefined ? null : work(toDrop(row));
    });
  }

  function create(
    drop: NewDrop,
    cap: number,
    tasks: readonly PendingTask[],
  ): Drop | 'no_place' | 'slug_taken' {
    const stored = sql.findById.get(drop.id) as DropRow | undefined; // proof: `dropColumns`
    if (stored !== undefined) return toDrop(stored);
    const place = places.findFree(drop.ownerId, cap);
    if (place === null) return 'no_place';
    const { changes } = sql.insert.run({
      id: drop.id,
      ownerId: drop.ownerId,
      slug: drop.slug,
      ...detailValues(drop),
      ...headValues(drop.version, 1),
      ...lockValues(drop.lock),
      ...taskValues(tasks),
      place,
    });
    if (changes === 0) return 'slug_taken';
    versions.insert(drop.id, drop.ownerId, 1, drop.version);
    metadata.insert(drop);
    return asMade(drop);
  }

  function addVersion(
    drop: Drop,
    version: NewVersion,
    changes: DetailChanges,
    cap: number,
    tasks: readonly PendingTask[],
  ): Drop | Takedown | 'version_limit' {
    if (versions.isKnown(version.id)) return drop;
    if (drop.takedown !== null) return drop.takedown;
    const now = version.createdAt;
    const number = drop.latestVersion + 1;
    const next = { ...applyDetails(drop, changes, now), latestVersion: number };
    const values = { id: drop.id, now, cap, ...detailValues(next), ...headValues(version, number) };
    if (sql.addVersion.run({ ...values, ...taskValues(tasks) }).changes === 0) return 'version_limit';
    versions.insert(drop.id, drop.ownerId, number, version);
    metadata.replace(drop, next.metadata);
    return next;
  }

  function removeVersion(drop: Drop, version: Version, now: number, tasks: readonly PendingTask[]) {
    const { changes } = sql.removeVersion.run({ id: drop.id, now, ...taskValues(tasks) });
    if (changes === 0) return 'last_version';
    versions.discard(drop.id, version);
    const { number: latestVersion, ...newest } = versions.newest(drop.id);
    if (latestVersion !== drop.latestVersion) {
      sql.moveHead.run({ id: drop.id, ...headValues(newest, latestVersion) });
    }
    return { ...drop, latestVersion, updatedAt: now, rev: drop.rev + 1 };
  }

  return {
    create: (drop, cap, tasks) => db.write(() => create(drop, cap, tasks)),

    addVersion: (ownerId, slug, version, changes, cap, tasks) =>
      change(ownerId, slug, (drop) => addVersion(drop, version, changes, cap, tasks)),

    changeDetails: (ownerId, slug, changes, now, tasks) =>
      changeShown(ownerId, slug, (drop) => {
        const next = applyDetails(drop, changes, now);
        sql.changeDetails.run({ id: drop.id, now, ...detailValues(next), ...taskValues(tasks) });
        metadata.replace(drop, next.metadata);
        return next;
      }),

    setLock: (ownerId, slug, lock, now, tasks) =>
      changeShown(ownerId, slug, (drop) => {
        sql.setLock.run({ id: drop.id, now, ...lockValues(lock), ...taskValues(tasks) });
        return { ...drop, locked: lock !== null, updatedAt: now, rev: drop.rev + 1 };
      }),

    removeVersion: (ownerId, slug, number, now, tasks) =>
      changeShown(ownerId, slug, (drop) => {
        const version = versions.find(drop.id, number);
        return version === null ? 'no_version' : removeVersion(drop, version, now, tasks);
      }),

    remove: (ownerId, slug, now) =>
      change(ownerId, slug, (drop) => {
        sql.remove.run({ id: drop.id, now });
        metadata.remove(drop);
        return drop.id;
      }),
  };
}

/** The drop as it stands after its first write. */
function asMade({ version, lock, ...drop }: NewDrop): Drop {
  const { createdAt } = version;
  return {
    ...drop,
    locked: lock !== null,
    latestVersion: 1,
    viewCount: 0,
    createdAt,
    updatedAt: createdAt,
    rev: 1,
    takedown: null,
  };
}

function applyDetails(drop: Drop, changes: DetailChanges, now: number): Drop {
  const { title = drop.title, description = drop.description, metadata = drop.metadata } = changes;
  return { ...drop, title, description, metadata, updatedAt: now, rev: drop.rev + 1 };
}

// What the statements above call by name.

function detailValues({ title, description, metadata }: Pick<Drop, 'title' | 'description' | 'metadata'>) {
  return { title, description, metadata: writeMetadata(metadata) };
}

function headValues(version: NewVersion, number: number) {
  return {
    latestVersion: number,
    headId: version.id,
    headSizeBytes: version.sizeBytes,
    headHasContext: Number(version.hasContext),
    headMediaType: version.mediaType,
    headCreatedAt: version.createdAt,
  };
}

function lockValues(lock: NewDrop['lock']) {
  return { lockId: lock?.id ?? null, lockHash: lock?.hash ?? null };
}

import { randomInt } from 'node:crypto';
import type { DetailChanges, Drop, Metadata, NewDrop, NewVersion, PendingTask } from '../../domain/drop.ts';
import type { Takedown } from '../../domain/moderation.ts';
import type { DropStore } from '../../ports/drop-store.ts';
import type { ModerationStore } from '../../ports/moderation-store.ts';
import { pickPlace } from '../../util/pick-place.ts';
import type { Database, Statement, Value } from './database.ts';
import { createDropReads } from './drop-reads.ts';
import { changed, type DropRow, dropColumns, taskValues, toDrop, writeMetadata } from './drop-rows.ts';
import type { PageMemory } from './page-memory.ts';

type DropWrites = Omit<DropStore, keyof ReturnType<typeof createDropReads>>;

/** @param memory the only page memory of the connection: each write removes the changed page from it */
export function createSqliteDropStore(db: Database, memory: PageMemory): DropStore {
  return { ...createDropReads(db, memory), ...createDropWrites(db, memory) };
}

/** @param memory as for the drop store */
export function createSqliteModerationStore(db: Database, memory: PageMemory): ModerationStore {
  const sql = {
    find: db.prepareTuples(`SELECT ${dropColumns} FROM drops WHERE slug = ? AND deleted_at IS NULL`),
    takeDown: db.prepare(`
      UPDATE drops SET taken_down_at = coalesce(taken_down_at, $now), takedown_reason = $reason, ${changed}
      WHERE slug = $slug AND deleted_at IS NULL`),
    restore: db.prepare(`
      UPDATE drops SET taken_down_at = NULL, takedown_reason = NULL, ${changed}
      WHERE slug = $slug AND deleted_at IS NULL AND taken_down_at IS NOT NULL`),
  };

  function find(slug: string): Drop | null {
    return toDropOrNull(sql.find.get(slug));
  }

  function change(slug: string, statement: Statement, values: Record<string, Value>): Promise<Drop | null> {
    return db.write(() => {
      memory.forget(slug);
      statement.run({ slug, ...values });
      return find(slug);
    });
  }

  return {
    findDrop: async (slug) => find(slug),
    takeDown: (slug, { at, reason }, tasks) =>
      change(slug, sql.takeDown, { now: at, reason, ...taskValues(tasks) }),
    restore: (slug, now, tasks) => change(slug, sql.restore, { now, ...taskValues(tasks) }),
  };
}

/** Each method is one write of the database, so nothing changes between its reads and its updates. */
function createDropWrites(db: Database, memory: PageMemory): DropWrites {
  const sql = {
    find: db.prepareTuples(`
      SELECT ${dropColumns} FROM drops WHERE owner_id = ? AND slug = ? AND deleted_at IS NULL`),
    findById: db.prepareTuples(`SELECT ${dropColumns} FROM drops WHERE id = ?`),
    isTaken: db.prepareTuples(`
      SELECT 1 FROM drops WHERE owner_id = $ownerId AND deleted_at IS NULL AND place = $place
      UNION ALL
      SELECT 1 FROM drops WHERE owner_id = $ownerId AND deleted_at IS NULL AND place >= $cap LIMIT 1`),
    places: db.prepareTuples('SELECT place FROM drops WHERE owner_id = ? AND deleted_at IS NULL LIMIT ?'),
    insert: db.prepareTuples(`
      INSERT INTO drops (id, owner_id, slug, title, description, metadata, lock_id, lock_hash, latest_version,
        version_count, head_id, head_size_bytes, head_has_context, head_media_type, head_created_at, place,
        created_at, updated_at, changed_at, owed_render, owed_purge)
      VALUES ($id, $ownerId, $slug, $title, $description, $metadata, $lockId, $lockHash, 1,
        1, $versionId, $sizeBytes, $hasContext, $mediaType, $createdAt, $place,
        $createdAt, $createdAt, $createdAt, $render, $purge)
      ON CONFLICT (slug) DO NOTHING RETURNING ${dropColumns}`),
    changeDetails: db.prepareTuples(`
      UPDATE drops SET title = $title, description = $description, metadata = $metadata, updated_at = $now,
        ${changed}
      WHERE id = $id RETURNING ${dropColumns}`),
    setLock: db.prepareTuples(`
      UPDATE drops SET lock_id = $lockId, lock_hash = $lockHash, updated_at = $now, ${changed}
      WHERE id = $id RETURNING ${dropColumns}`),
    addTrash: db.prepareTuples(`
      UPDATE drops SET has_trash = 1, updated_at = $now, ${changed} WHERE id = $id RETURNING ${dropColumns}`),
    remove: db.prepare(`
      UPDATE drops SET deleted_at = $now, place = NULL, changed_at = $now, rev = rev + 1 WHERE id = $id`),

    isKnown: db.prepareTuples(`
      SELECT 1 FROM drop_versions WHERE id = $id UNION ALL SELECT 1 FROM drop_trash WHERE version_id = $id`),
    countVersions: db.prepareTuples('SELECT count(*) FROM drop_versions WHERE drop_id = ?'),
    findVersion: db.prepareTuples('SELECT id FROM drop_versions WHERE drop_id = ? AND number = ?'),
    insertVersion: db.prepare(`
      INSERT INTO drop_versions (drop_id, owner_id, number, id, size_bytes, has_context, media_type, created_at)
      VALUES ($id, $ownerId, $number, $versionId, $sizeBytes, $hasContext, $mediaType, $createdAt)`),
    removeVersion: db.prepare('DELETE FROM drop_versions WHERE drop_id = ? AND number = ?'),
    insertTrash: db.prepare('INSERT INTO drop_trash (drop_id, version_id) VALUES (?, ?)'),
    updateHead: db.prepare(`
      UPDATE drops SET version_count = (SELECT count(*) FROM drop_versions WHERE drop_id = $id),
        (latest_version, head_id, head_size_bytes, head_has_context, head_media_type, head_created_at) = (
          SELECT number, id, size_bytes, has_context, media_type, created_at
          FROM drop_versions WHERE drop_id = $id ORDER BY number DESC LIMIT 1)
      WHERE id = $id`),

    insertPair: db.prepare('INSERT INTO drop_metadata (owner_id, key, value, drop_id) VALUES (?, ?, ?, ?)'),
    removePair: db.prepare(`
      DELETE FROM drop_metadata WHERE owner_id = ? AND key = ? AND value = ? AND drop_id = ?`),
  };

  /** Changes the owner's live drop in one write, unless it is taken down. null: no such drop. */
  function changeUnlessTakenDown<T>(
    ownerId: string,
    slug: string,
    work: (drop: Drop) => T,
  ): Promise<T | Takedown | null> {
    return change(ownerId, slug, (drop) => drop.takedown ?? work(drop));
  }

  /** Changes the owner's live drop in one write. null: no such drop. */
  function change<T>(ownerId: string, slug: string, work: (drop: Drop) => T): Promise<T | null> {
    return db.write(() => {
      memory.forget(slug);
      const drop = toDropOrNull(sql.find.get(ownerId, slug));
      return drop === null ? null : work(drop);
    });
  }

  /** A random free place; null: none. Only if a first guess is taken, or the cap was lowered, all places are read. */
  function findFreePlace(ownerId: string, cap: number): number | null {
    if (cap < 1) return null;
    const guess = randomInt(cap);
    if (sql.isTaken.get({ ownerId, place: guess, cap }) === undefined) return guess;
    const taken = sql.places.all(ownerId, cap) as [number][]; // proof: live drops have a place
    return pickPlace(
      taken.map(([place]) => place),
      cap,
    );
  }

  function create(drop: NewDrop, cap: number, tasks: readonly PendingTask[]) {
    const stored = toDropOrNull(sql.findById.get(drop.id));
    if (stored !== null) return stored;
    const place = findFreePlace(drop.ownerId, cap);
    if (place === null) return 'no_place';
    const { id, ownerId, slug, title, description, metadata, lock, version } = drop;
    const created = toDropOrNull(
      sql.insert.get({
        ...{ id, ownerId, slug, title, description, place, metadata: writeMetadata(metadata) },
        ...lockValues(lock),
        ...versionValues(version),
        ...taskValues(tasks),
      }),
    );
    if (created === null) return 'slug_taken';
    sql.insertVersion.run({ id, ownerId, number: 1, ...versionValues(version) });
    replacePairs(drop, new Map(), metadata);
    return created;
  }

  function addVersion(
    drop: Drop,
    version: NewVersion,
    changes: DetailChanges,
    cap: number,
    tasks: readonly PendingTask[],
  ): Drop | Takedown | 'version_limit' {
    const { id, ownerId } = drop;
    if (sql.isKnown.get({ id: version.id }) !== undefined) return drop;
    if (drop.takedown !== null) return drop.takedown;
    if (countVersions(id) >= cap) return 'version_limit';
    sql.insertVersion.run({ id, ownerId, number: drop.latestVersion + 1, ...versionValues(version) });
    sql.updateHead.run({ id });
    return changeDetails(drop, changes, version.createdAt, tasks);
  }

  function removeVersion(drop: Drop, number: number, now: number, tasks: readonly PendingTask[]) {
    const version = sql.findVersion.get(drop.id, number) as [id: string] | undefined; // proof: the column selected
    if (version === undefined) return 'no_version';
    if (countVersions(drop.id) === 1) return 'last_version';
    sql.removeVersion.run(drop.id, number);
    sql.insertTrash.run(drop.id, version[0]);
    sql.updateHead.run({ id: drop.id });
    return updated(sql.addTrash, drop, now, tasks);
  }

  function countVersions(dropId: string): number {
    const [count] = sql.countVersions.get(dropId) as [number]; // proof: an aggregate always has one row
    return count;
  }

  function changeDetails(
    drop: Drop,
    changes: DetailChanges,
    now: number,
    tasks: readonly PendingTask[],
  ): Drop {
    const { title = drop.title, description = drop.description, metadata = drop.metadata } = changes;
    replacePairs(drop, drop.metadata, metadata);
    const values = { title, description, metadata: writeMetadata(metadata) };
    return updated(sql.changeDetails, drop, now, tasks, values);
  }

  /** Updates the rows by which lists are filtered. */
  function replacePairs({ id, ownerId }: Pick<Drop, 'id' | 'ownerId'>, from: Metadata, to: Metadata): void {
    for (const [key, value] of from) if (to.get(key) !== value) sql.removePair.run(ownerId, key, value, id);
    for (const [key, value] of to) if (from.get(key) !== value) sql.insertPair.run(ownerId, key, value, id);
  }

  return {
    create: (drop, cap, tasks) => db.write(() => create(drop, cap, tasks)),

    addVersion: (ownerId, slug, version, changes, cap, tasks) =>
      change(ownerId, slug, (drop) => addVersion(drop, version, changes, cap, tasks)),

    changeDetails: (ownerId, slug, changes, now, tasks) =>
      changeUnlessTakenDown(ownerId, slug, (drop) => changeDetails(drop, changes, now, tasks)),

    setLock: (ownerId, slug, lock, now, tasks) =>
      changeUnlessTakenDown(ownerId, slug, (drop) =>
        updated(sql.setLock, drop, now, tasks, lockValues(lock)),
      ),

    removeVersion: (ownerId, slug, number, now, tasks) =>
      changeUnlessTakenDown(ownerId, slug, (drop) => removeVersion(drop, number, now, tasks)),

    remove: (ownerId, slug, now) =>
      change(ownerId, slug, (drop) => {
        sql.remove.run({ id: drop.id, now });
        replacePairs(drop, drop.metadata, new Map());
        return drop.id;
      }),
  };
}

/** The drop after the update. */
function updated(
  statement: Statement,
  { id }: Drop,
  now: number,
  tasks: readonly PendingTask[],
  values: Record<string, Value> = {},
): Drop {
  const row = statement.get({ id, now, ...taskValues(tasks), ...values });
  return toDrop(row as DropRow); // proof: it returns `dropColumns`, and the drop was found in this write
}

function toDropOrNull(row: unknown): Drop | null {
  return row === undefined ? null : toDrop(row as DropRow); // proof: each statement selects `dropColumns`
}

function versionValues({ id, sizeBytes, hasContext, mediaType, createdAt }: NewVersion) {
  return { versionId: id, sizeBytes, hasContext: Number(hasContext), mediaType, createdAt };
}

function lockValues(lock: NewDrop['lock']) {
  return { lockId: lock?.id ?? null, lockHash: lock?.hash ?? null };
}

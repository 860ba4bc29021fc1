import { randomInt } from 'node:crypto';
import { createDailyCounts } from '../accounts/sqlite.ts';
import { putBlobSql } from '../blobs/sqlite.ts';
import type { Clock } from '../domain/clock.ts';
import type { Takedown } from '../moderation/act.ts';
import type { ModerationStore } from '../moderation/moderation-store.ts';
import type { Database, Statement, Value } from '../sqlite/database.ts';
import { pickPlace } from '../util/random-picks.ts';
import {
  type DetailChanges,
  type Details,
  type Drop,
  firstOf,
  isStored,
  type NewDrop,
  type NewVersion,
  type PendingTask,
  withoutDocument,
} from './drop.ts';
import type { DropReads, DropStore } from './drop-store.ts';
import { type Conflict, conflictOf, type DropTarget, rejectionOf } from './revision.ts';
import { foldTexts } from './search.ts';
import { createDropReads } from './sqlite-reads.ts';
import {
  changed,
  createPairs,
  createRemovals,
  createRowInserts,
  type DropRow,
  detailNames,
  detailValues,
  dropColumns,
  isLive,
  taskValues,
  toDrop,
  toDropOrNull,
  updateHeadSql,
} from './sqlite-rows.ts';

/** They are removed in one transaction, which takes its time for each (docs/performance.md). */
const expiredAtOnce = 100;

type DropWrites = Omit<DropStore, keyof DropReads>;

export function createSqliteDropStore(db: Database, clock: Clock): DropStore {
  return { ...createDropReads(db, clock), ...createDropWrites(db, clock) };
}

export function createSqliteModerationStore(db: Database, clock: Clock): ModerationStore {
  const sql = {
    find: db.prepareTuples<DropRow>(`SELECT ${dropColumns} FROM drops WHERE slug = ? AND ${isLive('?')}`),
    findById: db.prepareTuples<DropRow>(`SELECT ${dropColumns} FROM drops WHERE id = ?`),
    takeDown: db.prepare(`
      UPDATE drops SET taken_down_at = coalesce(taken_down_at, $now), takedown_reason = $reason, ${changed}
      WHERE id = $id`),
    restore: db.prepare(`
      UPDATE drops SET taken_down_at = NULL, takedown_reason = NULL, ${changed}
      WHERE id = $id AND taken_down_at IS NOT NULL`),
  };

  function find(slug: string): Drop | null {
    return toDropOrNull(sql.find.get(slug, clock.now()));
  }

  function change(slug: string, statement: Statement, values: Record<string, Value>): Promise<Drop | null> {
    return db.write(() => {
      const drop = find(slug);
      if (drop === null) return null;
      statement.run({ id: drop.id, ...values });
      return toDropOrNull(sql.findById.get(drop.id));
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
function createDropWrites(db: Database, clock: Clock): DropWrites {
  const { remove, removeExpired, removeSome } = createRemovals(db);
  const pairs = createPairs(db);
  const rows = createRowInserts(db, 'slug');
  const days = createDailyCounts(db);
  const sql = {
    find: db.prepareTuples<DropRow>(`
      SELECT ${dropColumns} FROM drops WHERE owner_id = ? AND slug = ? AND ${isLive('?')}`),
    findById: db.prepareTuples<DropRow>(`SELECT ${dropColumns} FROM drops WHERE id = ?`),
    isTaken: db.prepareTuples(`
      SELECT 1 FROM drops WHERE owner_id = $ownerId AND deleted_at IS NULL AND place = $place
      UNION ALL
      SELECT 1 FROM drops WHERE owner_id = $ownerId AND deleted_at IS NULL AND place >= $cap LIMIT 1`),
    places: db.prepareTuples<[place: number]>(`
      SELECT place FROM drops INDEXED BY drops_one_per_place
      WHERE owner_id = ? AND deleted_at IS NULL LIMIT ?`),
    changeDetails: db.prepareTuples<DropRow>(`
      UPDATE drops SET ${detailNames.map((name) => `${name} = $${name}`)}, updated_at = $now, ${changed}
      WHERE id = $id RETURNING ${dropColumns}`),
    setLock: db.prepareTuples<DropRow>(`
      UPDATE drops SET lock_id = $lockId, lock_hash = $lockHash, updated_at = $now, ${changed}
      WHERE id = $id RETURNING ${dropColumns}`),
    addTrash: db.prepareTuples<DropRow>(`
      UPDATE drops SET has_trash = 1, updated_at = $now, ${changed} WHERE id = $id RETURNING ${dropColumns}`),

    isKnown: db.prepareTuples(`
      SELECT 1 FROM drop_versions WHERE id = $id UNION ALL SELECT 1 FROM drop_trash WHERE version_id = $id`),
    countVersions: db.prepareTuples<[count: number]>('SELECT count(*) FROM drop_versions WHERE drop_id = ?'),
    findVersion: db.prepareTuples<[id: string]>(
      'SELECT id FROM drop_versions WHERE drop_id = ? AND number = ?',
    ),
    removeVersion: db.prepare('DELETE FROM drop_versions WHERE drop_id = ? AND number = ?'),
    insertTrash: db.prepare('INSERT INTO drop_trash (drop_id, version_id) VALUES (?, ?)'),
    updateHead: db.prepare(updateHeadSql),

    putHtml: db.prepare(putBlobSql('html_blobs')),
    putContext: db.prepare(putBlobSql('context_blobs')),
  };

  /** null: no such drop. */
  function changeUnlessRefused<T>(
    target: DropTarget,
    work: (drop: Drop) => T,
  ): Promise<T | Takedown | Conflict | null> {
    return change(target, (drop) => rejectionOf(drop, target) ?? work(drop));
  }

  function change<T>(target: DropTarget, work: (drop: Drop) => T): Promise<T | null> {
    return db.write(() => withDrop(target, work));
  }

  function withDrop<T>({ ownerId, slug }: DropTarget, work: (drop: Drop) => T): T | null {
    const drop = toDropOrNull(sql.find.get(ownerId, slug, clock.now()));
    return drop === null ? null : work(drop);
  }

  /** Stores a version in one write, and counts it in the same one. */
  function withQuota<T extends object | string | null>({ quota }: NewVersion, store: () => T) {
    return db.write((): T | 'day_full' => {
      if (quota === undefined) return store();
      if (!days.take(quota)) return 'day_full';
      const outcome = store();
      if (!isStored(outcome)) days.giveBack(quota);
      return outcome;
    });
  }

  /** null: no place is free. All places are read only if a guess is taken, or the cap was lowered. */
  function findFreePlace(ownerId: string, cap: number): number | null {
    if (cap < 1) return null;
    const guess = randomInt(cap);
    if (sql.isTaken.get({ ownerId, place: guess, cap }) === undefined) return guess;
    const taken = sql.places.all(ownerId, cap);
    return pickPlace(
      taken.map(([place]) => place),
      cap,
    );
  }

  /** Removes expired drops of the owner if no place is free. */
  function takePlace(ownerId: string, cap: number): number | null {
    for (;;) {
      const place = findFreePlace(ownerId, cap);
      if (place !== null || removeExpired(ownerId, clock.now(), expiredAtOnce).length === 0) return place;
    }
  }

  function create(drop: NewDrop, cap: number, tasks: readonly PendingTask[]) {
    const stored = toDropOrNull(sql.findById.get(drop.id));
    if (stored !== null) return stored;
    const place = takePlace(drop.ownerId, cap);
    if (place === null) return 'no_place';
    const { metadata, lock, version } = drop;
    const made = firstOf(drop);
    const head = withoutDocument(version, 1);
    if (!rows.insertDrop(made, { folded: foldTexts(drop), lock, place, head, tasks })) return 'slug_taken';
    insertVersion(drop, 1, version);
    pairs.replace(drop, new Map(), metadata);
    return made;
  }

  function addVersion(
    drop: Drop,
    version: NewVersion,
    changes: DetailChanges,
    cap: number,
    tasks: readonly PendingTask[],
  ): Drop | 'version_limit' {
    if (countVersions(drop.id) >= cap) return 'version_limit';
    insertVersion(drop, drop.latestVersion + 1, version);
    sql.updateHead.run({ id: drop.id });
    return changeDetails(drop, changes, version.createdAt, tasks);
  }

  /** With its document. */
  function insertVersion(drop: Pick<Drop, 'id' | 'ownerId'>, number: number, version: NewVersion): void {
    rows.insertVersion(drop, withoutDocument(version, number));
    sql.putHtml.run(version.id, version.html);
    if (version.context !== null) sql.putContext.run(version.id, version.context);
  }

  function removeVersion(drop: Drop, number: number, now: number, tasks: readonly PendingTask[]) {
    const version = sql.findVersion.get(drop.id, number);
    if (version === undefined) return 'no_version';
    if (countVersions(drop.id) === 1) return 'last_version';
    sql.removeVersion.run(drop.id, number);
    sql.insertTrash.run(drop.id, version[0]);
    sql.updateHead.run({ id: drop.id });
    return updated(sql.addTrash, drop, now, tasks);
  }

  function countVersions(dropId: string): number {
    return sql.countVersions.get(dropId)?.[0] ?? 0;
  }

  function changeDetails(
    drop: Drop,
    changes: DetailChanges,
    now: number,
    tasks: readonly PendingTask[],
  ): Drop {
    const details: Details = { ...drop, ...changes };
    pairs.replace(drop, drop.metadata, details.metadata);
    return updated(sql.changeDetails, drop, now, tasks, detailValues(details));
  }

  return {
    create: (drop, cap, tasks) => withQuota(drop.version, () => create(drop, cap, tasks)),

    addVersion: (target, version, changes, cap, tasks) =>
      withQuota(version, () =>
        withDrop(target, (drop) => {
          if (sql.isKnown.get({ id: version.id }) !== undefined) return drop;
          return rejectionOf(drop, target) ?? addVersion(drop, version, changes, cap, tasks);
        }),
      ),

    changeDetails: (target, changes, now, tasks) =>
      changeUnlessRefused(target, (drop) => changeDetails(drop, changes, now, tasks)),

    setLock: (target, lock, now, tasks) =>
      changeUnlessRefused(target, (drop) => {
        const values = { lockId: lock?.id ?? null, lockHash: lock?.hash ?? null };
        return updated(sql.setLock, drop, now, tasks, values);
      }),

    removeVersion: (target, number, now, tasks) =>
      changeUnlessRefused(target, (drop) => removeVersion(drop, number, now, tasks)),

    remove: (target, now) =>
      change(target, (drop) => {
        const conflict = conflictOf(drop, target);
        if (conflict !== null) return conflict;
        remove(drop, now);
        return drop.id;
      }),

    removeSome: (ownerId, now, limit) => db.write(() => removeSome(ownerId, now, limit)),
  };
}

/** The drop after the update. */
function updated(
  statement: Statement<DropRow>,
  { id }: Drop,
  now: number,
  tasks: readonly PendingTask[],
  values: Record<string, Value> = {},
): Drop {
  const row = statement.get({ id, now, ...taskValues(tasks), ...values });
  if (row === undefined) throw new Error('a drop that was found in this write is gone');
  return toDrop(row);
}

import { SqliteDailyCounts } from '../accounts/sqlite.ts';
import { putBlobSql } from '../blobs/sqlite.ts';
import type { Clock } from '../domain/clock.ts';
import type { Database, Statement, Value } from '../sqlite/database.ts';
import type { Lock } from './access.ts';
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
import type { DropStore, Rejected, RemovedDrop } from './drop-store.ts';
import { type Conflict, conflictOf, type DropTarget, rejectionOf } from './revision.ts';
import { foldTexts } from './search.ts';
import { SqlitePeople } from './sqlite-people.ts';
import { SqlitePlaces } from './sqlite-places.ts';
import { SqliteDropReads } from './sqlite-reads.ts';
import { SqliteDropRemovals } from './sqlite-removals.ts';
import {
  changed,
  type DropRow,
  detailNames,
  detailValues,
  dropColumns,
  isLive,
  lockFollowsAccess,
  lockWithAccess,
  SqliteDropInserts,
  SqlitePairs,
  taskValues,
  toDrop,
  toDropOrNull,
  updateHeadSql,
} from './sqlite-rows.ts';

/** They are removed in one transaction, which takes its time for each (docs/performance.md). */
const expiredAtOnce = 100;

/** Each change is one write of the database, so nothing changes between its reads and its updates. */
export class SqliteDrops extends SqliteDropReads implements DropStore {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #sql: ReturnType<typeof prepare>;
  readonly #rows;
  readonly #pairs;
  readonly #people;
  readonly #places;
  readonly #removals;
  readonly #days;

  constructor(db: Database, clock: Clock) {
    super(db, clock);
    this.#db = db;
    this.#clock = clock;
    this.#sql = prepare(db);
    this.#rows = new SqliteDropInserts(db, 'slug');
    this.#pairs = new SqlitePairs(db);
    this.#people = new SqlitePeople(db);
    this.#places = new SqlitePlaces(db);
    this.#removals = new SqliteDropRemovals(db);
    this.#days = new SqliteDailyCounts(db);
  }

  create(
    drop: NewDrop,
    cap: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | 'day_full' | 'no_place' | 'slug_taken'> {
    return this.#writeCounted(drop.version, () => {
      const stored = toDropOrNull(this.#sql.findById.get(drop.id));
      if (stored !== null) return stored;
      const place = this.#takePlace(drop.ownerId, cap);
      if (place === null) return 'no_place';
      const { metadata, lock, people, version } = drop;
      const made = firstOf(drop);
      const head = withoutDocument(version, 1);
      const row = { folded: foldTexts(drop), lock, place, head, tasks };
      if (!this.#rows.insertDrop(made, row)) return 'slug_taken';
      this.#insertVersion(drop, 1, version);
      this.#pairs.replace(drop, new Map(), metadata);
      this.#people.replace(drop.id, null, people);
      return made;
    });
  }

  addVersion(
    target: DropTarget,
    version: NewVersion,
    changes: DetailChanges,
    cap: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | Rejected | 'day_full' | 'version_limit'> {
    return this.#writeCounted(version, () => {
      const drop = this.#find(target);
      if (drop === null) return null;
      if (this.#sql.isKnown.get({ id: version.id }) !== undefined) return drop;
      const rejection = rejectionOf(drop, target);
      if (rejection !== null) return rejection;
      if (this.#countVersions(drop.id) >= cap) return 'version_limit';
      this.#insertVersion(drop, drop.latestVersion + 1, version);
      this.#sql.updateHead.run({ id: drop.id });
      return this.#changeDetails(drop, changes, version.createdAt, tasks);
    });
  }

  changeDetails(
    target: DropTarget,
    changes: DetailChanges,
    now: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | Rejected> {
    return this.#change(target, (drop) => this.#changeDetails(drop, changes, now, tasks));
  }

  setLock(
    target: DropTarget,
    lock: Lock | null,
    now: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | Rejected> {
    const values = { lockId: lock?.id ?? null, lockHash: lock?.hash ?? null };
    return this.#change(target, (drop) => updated(this.#sql.setLock, drop, now, tasks, values));
  }

  removeVersion(
    target: DropTarget,
    number: number,
    now: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | Rejected | 'no_version' | 'last_version'> {
    return this.#change(target, (drop) => {
      const version = this.#sql.findVersion.get(drop.id, number);
      if (version === undefined) return 'no_version';
      if (this.#countVersions(drop.id) === 1) return 'last_version';
      this.#sql.removeVersion.run(drop.id, number);
      this.#sql.insertTrash.run(drop.id, version[0]);
      this.#sql.updateHead.run({ id: drop.id });
      return updated(this.#sql.addTrash, drop, now, tasks);
    });
  }

  remove(target: DropTarget, now: number): Promise<string | Conflict | null> {
    return this.#db.write(() => {
      const drop = this.#find(target);
      if (drop === null) return null;
      const conflict = conflictOf(drop, target);
      if (conflict !== null) return conflict;
      this.#removals.remove(drop, now);
      return drop.id;
    });
  }

  removeSome(ownerId: string, now: number, limit: number): Promise<RemovedDrop[]> {
    return this.#db.write(() => this.#removals.removeSome(ownerId, now, limit));
  }

  #find({ ownerId, slug }: DropTarget): Drop | null {
    return toDropOrNull(this.#sql.find.get(ownerId, slug, this.#clock.now()));
  }

  /** Changes the drop in one write, unless its takedown or another revision forbids it. */
  #change<T>(target: DropTarget, work: (drop: Drop) => T): Promise<T | Rejected> {
    return this.#db.write(() => {
      const drop = this.#find(target);
      if (drop === null) return null;
      return rejectionOf(drop, target) ?? work(drop);
    });
  }

  /** Stores a version in one write, and counts it in the same one. */
  #writeCounted<T extends object | string | null>({ quota }: NewVersion, store: () => T) {
    return this.#db.write((): T | 'day_full' => {
      if (quota === undefined) return store();
      if (!this.#days.take(quota)) return 'day_full';
      const outcome = store();
      if (!isStored(outcome)) this.#days.giveBack(quota);
      return outcome;
    });
  }

  /** Removes expired drops of the owner if no place is free. */
  #takePlace(ownerId: string, cap: number): number | null {
    for (;;) {
      const place = this.#places.findFree(ownerId, cap);
      if (place !== null) return place;
      const removed = this.#removals.removeExpired(ownerId, this.#clock.now(), expiredAtOnce);
      if (removed.length === 0) return null;
    }
  }

  /** With its document. */
  #insertVersion(drop: Pick<Drop, 'id' | 'ownerId'>, number: number, version: NewVersion): void {
    this.#rows.insertVersion(drop, withoutDocument(version, number));
    this.#sql.putHtml.run(version.id, version.html);
    if (version.context !== null) this.#sql.putContext.run(version.id, version.context);
  }

  #countVersions(dropId: string): number {
    return this.#sql.countVersions.get(dropId)?.[0] ?? 0;
  }

  #changeDetails(drop: Drop, changes: DetailChanges, now: number, tasks: readonly PendingTask[]): Drop {
    const details: Details = { ...drop, ...changes };
    this.#pairs.replace(drop, drop.metadata, details.metadata);
    this.#people.replace(drop.id, drop.people, details.people);
    return updated(this.#sql.changeDetails, drop, now, tasks, detailValues(details));
  }
}

function prepare(db: Database) {
  return {
    find: db.prepareTuples<DropRow>(`
      SELECT ${dropColumns} FROM drops WHERE owner_id = ? AND slug = ? AND ${isLive('?')}`),
    findById: db.prepareTuples<DropRow>(`SELECT ${dropColumns} FROM drops WHERE id = ?`),
    changeDetails: db.prepareTuples<DropRow>(`
      UPDATE drops SET ${detailNames.map((name) => `${name} = $${name}`)}, ${lockFollowsAccess}, updated_at = $now, ${changed}
      WHERE id = $id RETURNING ${dropColumns}`),
    setLock: db.prepareTuples<DropRow>(`
      UPDATE drops SET ${lockWithAccess}, updated_at = $now, ${changed}
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

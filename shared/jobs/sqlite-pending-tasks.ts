import type { PendingTask } from '../drops/drop.ts';
import { SqliteDropRemovals } from '../drops/sqlite-removals.ts';
import type { Database, Statement } from '../sqlite/database.ts';
import type { PendingDrop, PendingPosition, PendingRender, PendingTaskStore } from './pending-task-store.ts';

interface PendingRow {
  readonly ownerId: string;
  readonly deletedAt: number | null;
  readonly rev: number;
  readonly renderPending: number;
  readonly purgePending: number;
  readonly latestVersionId: string;
}

const beforeAll: PendingPosition = { changedAt: -1, id: '' };

/** The columns `owed_render`, `owed_purge` and `has_chores` keep the names of the first release: old files must open. */
export class SqlitePendingTasks implements PendingTaskStore {
  readonly #db: Database;
  readonly #sql;
  readonly #removals;
  readonly #clearTask: Record<PendingTask, Statement>;

  constructor(db: Database) {
    this.#db = db;
    this.#sql = statementsOf(db);
    this.#removals = new SqliteDropRemovals(db);
    this.#clearTask = {
      render: db.prepare('UPDATE drops SET owed_render = 0 WHERE id = ? AND rev = ?'),
      purge: db.prepare('UPDATE drops SET owed_purge = 0 WHERE id = ? AND rev = ?'),
    };
  }

  async find(dropId: string): Promise<PendingDrop | null> {
    return this.#find(dropId);
  }

  async findForRender(dropId: string, renderer: number): Promise<PendingRender | null> {
    const drop = this.#find(dropId);
    if (drop === null) return null;
    return { ...drop, renderers: new Map(this.#sql.renderers.all(dropId, renderer)) };
  }

  async listPending(
    before: number,
    after: PendingPosition | null,
    limit: number,
  ): Promise<PendingPosition[]> {
    const { changedAt, id } = after ?? beforeAll;
    return this.#sql.listPending.all(before, changedAt, id, limit);
  }

  async removeExpired(now: number, limit: number): Promise<string[]> {
    if (this.#sql.isAnyExpired.get(now) === undefined) return [];
    return this.#db.write(() => this.#removals.removeExpired(null, now, limit));
  }

  clearTask(dropId: string, task: PendingTask, rev: number): Promise<boolean> {
    return this.#db.writeDerived(() => this.#clearTask[task].run(dropId, rev).changes > 0); // the job may run again
  }

  async clearTrash(dropId: string, versionIds: readonly string[]): Promise<void> {
    await this.#db.write(() => {
      for (const id of versionIds) this.#sql.clearTrash.run(dropId, id);
      this.#sql.noteTrash.run({ id: dropId });
    });
  }

  async erase(dropId: string): Promise<void> {
    await this.#db.write(() => this.#sql.erase.run(dropId));
  }

  async findExisting(dropIds: readonly string[]): Promise<Set<string>> {
    return new Set(this.#sql.findExisting.all(JSON.stringify(dropIds)).flat());
  }

  async findReferenced(versionIds: readonly string[]): Promise<Set<string>> {
    return new Set(this.#sql.findReferenced.all(JSON.stringify(versionIds)).flat());
  }

  #find(dropId: string): PendingDrop | null {
    const row = this.#sql.find.get(dropId);
    if (row === undefined) return null;
    const pending: PendingTask[] = [];
    if (row.renderPending !== 0) pending.push('render');
    if (row.purgePending !== 0) pending.push('purge');
    const versions = this.#sql.versions.all(dropId);
    return {
      id: dropId,
      ownerId: row.ownerId,
      deleted: row.deletedAt !== null,
      rev: row.rev,
      pending,
      versions: versions.map(([id, hasContext]) => ({ id, hasContext: hasContext !== 0 })),
      latestVersionId: row.latestVersionId,
      trash: this.#sql.trash.all(dropId).flat(),
    };
  }
}

function statementsOf(db: Database) {
  return {
    find: db.prepare<PendingRow>(`
      SELECT owner_id AS ownerId, deleted_at AS deletedAt, rev, owed_render AS renderPending,
        owed_purge AS purgePending, head_id AS latestVersionId
      FROM drops WHERE id = ?`),
    versions: db.prepareTuples<[id: string, hasContext: number]>(
      'SELECT id, has_context FROM drop_versions WHERE drop_id = ? ORDER BY number',
    ),
    renderers: db.prepareTuples<[versionId: string, renderer: number]>(`
      SELECT version_id, max(renderer) FROM drop_versions JOIN artefacts ON version_id = id
      WHERE drop_id = ? AND renderer <= ? GROUP BY version_id`),
    trash: db.prepareTuples<[id: string]>(
      'SELECT version_id FROM drop_trash WHERE drop_id = ? ORDER BY version_id',
    ),
    listPending: db.prepare<PendingPosition>(`
      SELECT changed_at AS changedAt, id FROM drops
      WHERE has_chores AND changed_at < ? AND (changed_at, id) > (?, ?) ORDER BY changed_at, id LIMIT ?`),
    isAnyExpired: db.prepareTuples(
      'SELECT 1 FROM drops WHERE deleted_at IS NULL AND expires_at <= ? LIMIT 1',
    ),
    clearTrash: db.prepare('DELETE FROM drop_trash WHERE drop_id = ? AND version_id = ?'),
    noteTrash: db.prepare(`
      UPDATE drops SET has_trash = EXISTS (SELECT 1 FROM drop_trash WHERE drop_id = $id) WHERE id = $id`),
    erase: db.prepare('DELETE FROM drops WHERE id = ? AND deleted_at IS NOT NULL'),
    findExisting: db.prepareTuples<[id: string]>(
      'SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM drops WHERE id = value)',
    ),
    findReferenced: db.prepareTuples<[id: string]>(`
      SELECT value FROM json_each(?)
      WHERE EXISTS (SELECT 1 FROM drop_versions WHERE id = value)
        OR EXISTS (SELECT 1 FROM drop_trash WHERE version_id = value)
        OR EXISTS (SELECT 1 FROM imports WHERE id = 1)`),
  };
}

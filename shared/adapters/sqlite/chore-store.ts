import type { Owed } from '../../domain/drop.ts';
import type { ChorePosition, ChoreStore, DropChores } from '../../ports/chore-store.ts';
import type { Database, Statement } from './database.ts';

interface ChoresRow {
  readonly deletedAt: number | null;
  readonly rev: number;
  readonly owedRender: number;
  readonly owedPurge: number;
  readonly headId: string;
}

const beforeAll: ChorePosition = { changedAt: -1, id: '' };

export function createSqliteChoreStore(db: Database): ChoreStore {
  const sql = {
    find: db.prepare(`
      SELECT deleted_at AS deletedAt, rev, owed_render AS owedRender, owed_purge AS owedPurge,
        head_id AS headId
      FROM drops WHERE id = ?`),
    versionIds: db.prepareTuples('SELECT id FROM drop_versions WHERE drop_id = ? ORDER BY number'),
    trash: db.prepareTuples('SELECT version_id FROM drop_trash WHERE drop_id = ? ORDER BY version_id'),
    listWithChores: db.prepare(`
      SELECT changed_at AS changedAt, id FROM drops
      WHERE has_chores AND changed_at < ? AND (changed_at, id) > (?, ?) ORDER BY changed_at, id LIMIT ?`),
    clearTrash: db.prepare('DELETE FROM drop_trash WHERE drop_id = ? AND version_id = ?'),
    noteTrash: db.prepare(`
      UPDATE drops SET has_trash = EXISTS (SELECT 1 FROM drop_trash WHERE drop_id = $id) WHERE id = $id`),
    erase: db.prepare('DELETE FROM drops WHERE id = ? AND deleted_at IS NOT NULL'),
    findNamed: db.prepareTuples(`
      SELECT value FROM json_each(?)
      WHERE EXISTS (SELECT 1 FROM drop_versions WHERE id = value)
        OR EXISTS (SELECT 1 FROM drop_trash WHERE version_id = value)`),
  };
  const clearOwed: Record<Owed, Statement> = {
    render: db.prepare('UPDATE drops SET owed_render = 0 WHERE id = ? AND rev = ?'),
    purge: db.prepare('UPDATE drops SET owed_purge = 0 WHERE id = ? AND rev = ?'),
  };

  /** Of a statement that selects one column of text. */
  function texts(statement: Statement, ...values: (string | number)[]): string[] {
    return (statement.all(...values) as [string][]).map(([text]) => text); // proof: see above
  }

  return {
    async findChores(dropId): Promise<DropChores | null> {
      const row = sql.find.get(dropId) as ChoresRow | undefined; // proof: the columns selected
      if (row === undefined) return null;
      const owed: Owed[] = [];
      if (row.owedRender !== 0) owed.push('render');
      if (row.owedPurge !== 0) owed.push('purge');
      return {
        id: dropId,
        deleted: row.deletedAt !== null,
        rev: row.rev,
        owed,
        versionIds: texts(sql.versionIds, dropId),
        headId: row.headId,
        trash: texts(sql.trash, dropId),
      };
    },

    async listWithChores(before, after, limit) {
      const { changedAt, id } = after ?? beforeAll;
      return sql.listWithChores.all(before, changedAt, id, limit) as ChorePosition[]; // proof: the columns selected
    },

    clearOwed(dropId, owed, rev) {
      return db.write(() => clearOwed[owed].run(dropId, rev).changes > 0);
    },

    async clearTrash(dropId, versionIds) {
      await db.write(() => {
        for (const id of versionIds) sql.clearTrash.run(dropId, id);
        sql.noteTrash.run({ id: dropId });
      });
    },

    async erase(dropId) {
      await db.write(() => sql.erase.run(dropId));
    },

    async findNamed(versionIds) {
      return new Set(texts(sql.findNamed, JSON.stringify(versionIds)));
    },
  };
}

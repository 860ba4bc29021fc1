import type { ModerationStore } from '../../ports/moderation-store.ts';
import type { Database, Statement, Value } from './database.ts';
import { changed, type DropRow, dropColumns, taskValues, toDrop } from './drop-rows.ts';
import type { PageMemory } from './page-memory.ts';

/** @param memory of the drop store over the same connection */
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

  function find(slug: string) {
    const row = sql.find.get(slug) as DropRow | undefined; // proof: `dropColumns`
    return row === undefined ? null : toDrop(row);
  }

  function change(slug: string, statement: Statement, values: Record<string, Value>) {
    return db.write(() => {
      memory.forget(slug);
      statement.run(values);
      return find(slug);
    });
  }

  return {
    async findDrop(slug) {
      return find(slug);
    },

    takeDown: (slug, { at, reason }, tasks) =>
      change(slug, sql.takeDown, { slug, now: at, reason, ...taskValues(tasks) }),

    restore: (slug, now, tasks) => change(slug, sql.restore, { slug, now, ...taskValues(tasks) }),
  };
}

import type { RenderPlan } from '../../domain/render-plan.ts';
import type { CompressedForm, RenderStore } from '../../ports/render-store.ts';
import type { Database, Statement } from './database.ts';
import { writeInSlices } from './write-in-slices.ts';

export function createSqliteRenderStore(db: Database): RenderStore {
  const sql = {
    put: db.prepare(`
      INSERT INTO renders (version_id, renderer, insert_at, insertion, br, gzip) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (version_id) DO UPDATE SET renderer = excluded.renderer, insert_at = excluded.insert_at,
        insertion = excluded.insertion, br = excluded.br, gzip = excluded.gzip`),
    findPlan: db.prepareTuples('SELECT renderer, insert_at, insertion FROM renders WHERE version_id = ?'),
    listRendered: db.prepareTuples(`
      SELECT version_id FROM renders
      WHERE version_id IN (SELECT value FROM json_each(?)) AND renderer = ?`),
    delete: db.prepare('DELETE FROM renders WHERE version_id = ?'),
    listIds: db.prepareTuples(`
      SELECT version_id FROM renders WHERE version_id > ? AND version_id < ? ORDER BY version_id LIMIT ?`),
  };
  const findForm: Record<CompressedForm, Statement> = {
    br: db.prepareTuples('SELECT br FROM renders WHERE version_id = ?'),
    gzip: db.prepareTuples('SELECT gzip FROM renders WHERE version_id = ?'),
  };

  return {
    async put(versionId, { plan, br, gzip }) {
      const { renderer, insertAt, insertion } = plan;
      await db.write(() => sql.put.run(versionId, renderer, insertAt, insertion, br, gzip));
    },

    async findPlan(versionId): Promise<RenderPlan | null> {
      const row = sql.findPlan.get(versionId);
      if (row === undefined) return null;
      const [renderer, insertAt, insertion] = row as [number, number, string]; // proof: the columns selected
      return { renderer, insertAt, insertion };
    },

    async findForm(versionId, form) {
      const row = findForm[form].get(versionId) as [Uint8Array] | undefined; // proof: the column selected
      return row?.[0] ?? null;
    },

    async listRendered(versionIds, renderer) {
      const rows = sql.listRendered.all(JSON.stringify(versionIds), renderer) as [string][]; // proof: see listIds
      return new Set(rows.map(([id]) => id));
    },

    async delete(versionIds) {
      await writeInSlices(db, versionIds, (id) => sql.delete.run(id));
    },

    async listIds(after, below, limit) {
      const rows = sql.listIds.all(after, below, limit) as [string][]; // proof: the column selected
      return rows.map(([id]) => id);
    },
  };
}

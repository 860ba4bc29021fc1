import type { ArtefactPart, RenderStore } from '../../ports/render-store.ts';
import type { Database, Statement } from './database.ts';
import { writeInSlices } from './database.ts';

export function createSqliteRenderStore(db: Database): RenderStore {
  const part = (column: ArtefactPart) =>
    db.prepareTuples(`SELECT ${column} FROM artefacts WHERE version_id = ? AND renderer = ?`);
  const findPart: Record<ArtefactPart, Statement> = {
    br: part('br'),
    gzip: part('gzip'),
    context: part('context'),
  };
  const sql = {
    put: db.prepare(`
      INSERT INTO artefacts (version_id, renderer, head, br, gzip, context) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING`),
    findHead: db.prepareTuples(`
      SELECT head FROM artefacts WHERE version_id = ? AND renderer <= ? ORDER BY renderer DESC LIMIT 1`),
    listRendered: db.prepareTuples(`
      SELECT version_id FROM artefacts WHERE version_id IN (SELECT value FROM json_each(?)) AND renderer = ?`),
    deleteOlder: db.prepare('DELETE FROM artefacts WHERE version_id = ? AND renderer < ?'),
    delete: db.prepare('DELETE FROM artefacts WHERE version_id = ?'),
    listIds: db.prepareTuples(`
      SELECT DISTINCT version_id FROM artefacts WHERE version_id > ? AND version_id < ? ORDER BY version_id LIMIT ?`),
  };

  return {
    async put(versionId, { head, br, gzip, context }) {
      const { renderer } = head.plan;
      await db.writeDerived(() => sql.put.run(versionId, renderer, JSON.stringify(head), br, gzip, context));
    },

    async findHead(versionId, renderer) {
      const row = sql.findHead.get(versionId, renderer) as [string] | undefined; // proof: the column selected
      return row === undefined ? null : JSON.parse(row[0]); // proof: what `put` has written
    },

    async findPart(versionId, { plan }, name) {
      const row = findPart[name].get(versionId, plan.renderer) as [Uint8Array | null] | undefined; // proof: see `part`
      return row?.[0] ?? null;
    },

    async listRendered(versionIds, renderer) {
      const rows = sql.listRendered.all(JSON.stringify(versionIds), renderer) as [string][]; // proof: see listIds
      return new Set(rows.map(([id]) => id));
    },

    deleteOlder: (versionId, renderer) =>
      db.write(() => sql.deleteOlder.run(versionId, renderer).changes > 0),

    async delete(versionIds) {
      await writeInSlices(db, versionIds, (id) => sql.delete.run(id));
    },

    async listIds(after, below, limit) {
      const rows = sql.listIds.all(after, below, limit) as [string][]; // proof: the column selected
      return rows.map(([id]) => id);
    },
  };
}

import type { Database } from '../sqlite/database.ts';
import { blobIds } from '../sqlite/table.ts';
import type { ArtefactPart, RenderStore } from './render-store.ts';

export function createSqliteRenderStore(db: Database): RenderStore {
  const part = (column: ArtefactPart) =>
    db.prepareTuples<[bytes: Uint8Array | null]>(
      `SELECT ${column} FROM artefacts WHERE version_id = ? AND renderer = ?`,
    );
  const findPart = { br: part('br'), gzip: part('gzip'), context: part('context') };
  const sql = {
    put: db.prepare(`
      INSERT INTO artefacts (version_id, renderer, head, br, gzip, context) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING`),
    findHead: db.prepareTuples<[head: string]>(`
      SELECT head FROM artefacts WHERE version_id = ? AND renderer <= ? ORDER BY renderer DESC LIMIT 1`),
    listRendered: db.prepareTuples<[versionId: string]>(`
      SELECT version_id FROM artefacts WHERE version_id IN (SELECT value FROM json_each(?)) AND renderer = ?`),
    deleteOlder: db.prepare('DELETE FROM artefacts WHERE version_id = ? AND renderer < ?'),
  };

  return {
    async put(versionId, { head, br, gzip, context }) {
      const { renderer } = head.plan;
      await db.writeDerived(() => sql.put.run(versionId, renderer, JSON.stringify(head), br, gzip, context));
    },

    async findHead(versionId, renderer) {
      const row = sql.findHead.get(versionId, renderer);
      return row === undefined ? null : JSON.parse(row[0]); // proof: what `put` has written
    },

    findPart: async (versionId, { plan }, name) => findPart[name].get(versionId, plan.renderer)?.[0] ?? null,

    async listRendered(versionIds, renderer) {
      const rows = sql.listRendered.all(JSON.stringify(versionIds), renderer);
      return new Set(rows.map(([id]) => id));
    },

    deleteOlder: (versionId, renderer) =>
      db.write(() => sql.deleteOlder.run(versionId, renderer).changes > 0),

    ...blobIds(db, 'artefacts', 'version_id'),
  };
}

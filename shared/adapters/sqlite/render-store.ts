import { randomUUID } from 'node:crypto';
import type { RenderHead, RenderStore } from '../../ports/render-store.ts';
import type { Database } from './database.ts';
import { writeInSlices } from './database.ts';

type HeadRow = [
  renderer: number,
  insertAt: number,
  insertion: string,
  facts: string,
  br: string,
  gzip: string,
  isSqueezed: number,
];

type OutdatedRow = [renderer: number, versionId: string, dropId: string];

const headColumns = 'renderer, insert_at, insertion, facts, br, gzip, is_squeezed';

export function createSqliteRenderStore(db: Database): RenderStore {
  const sql = {
    put: db.prepare(`
      INSERT INTO renders (version_id, drop_id, ${headColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)
      ON CONFLICT (version_id) DO UPDATE SET renderer = excluded.renderer, insert_at = excluded.insert_at,
        insertion = excluded.insertion, facts = excluded.facts, br = excluded.br, gzip = excluded.gzip,
        is_squeezed = 0`),
    putArtefact: db.prepare('INSERT INTO artefacts (id, version_id, bytes) VALUES (?, ?, ?)'),
    replaceAll: db.prepare(
      'UPDATE artefacts SET replaced_at = ? WHERE version_id = ? AND replaced_at IS NULL',
    ),
    replaceOne: db.prepare('UPDATE artefacts SET replaced_at = ? WHERE id = ?'),
    squeeze: db.prepare(`
      UPDATE renders SET br = $next, facts = json_set(facts, '$.br', json($facts)), is_squeezed = 1
      WHERE version_id = $versionId AND br = $artefact`),
    findHead: db.prepareTuples(`SELECT ${headColumns} FROM renders WHERE version_id = ?`),
    findArtefact: db.prepareTuples('SELECT bytes FROM artefacts WHERE id = ?'),
    listRendered: db.prepareTuples(`
      SELECT version_id FROM renders
      WHERE version_id IN (SELECT value FROM json_each(?)) AND renderer >= ?`),
    listOutdated: db.prepareTuples(`
      SELECT renderer, version_id, drop_id FROM renders INDEXED BY renders_by_renderer
      WHERE renderer < ? AND (renderer, version_id) > (?, ?) ORDER BY renderer, version_id LIMIT ?`),
    listReplaced: db.prepareTuples('SELECT id FROM artefacts WHERE replaced_at < ? LIMIT ?'),
    deleteArtefact: db.prepare('DELETE FROM artefacts WHERE id = ?'),
    deleteArtefacts: db.prepare('DELETE FROM artefacts WHERE version_id = ?'),
    delete: db.prepare('DELETE FROM renders WHERE version_id = ?'),
    listIds: db.prepareTuples(`
      SELECT version_id FROM renders WHERE version_id > ?1 AND version_id < ?2
      UNION SELECT version_id FROM artefacts WHERE version_id > ?1 AND version_id < ?2
      ORDER BY version_id LIMIT ?3`),
  };

  return {
    async put({ dropId, versionId }, { plan, facts, br, gzip }, now) {
      const { renderer, insertAt, insertion } = plan;
      const names = { br: randomUUID(), gzip: randomUUID() };
      await db.write(() => {
        sql.replaceAll.run(now, versionId);
        sql.putArtefact.run(names.br, versionId, br);
        sql.putArtefact.run(names.gzip, versionId, gzip);
        const factsText = JSON.stringify(facts);
        sql.put.run(versionId, dropId, renderer, insertAt, insertion, factsText, names.br, names.gzip);
      });
    },

    async squeeze(versionId, artefact, { bytes, facts }, now) {
      const next = randomUUID();
      await db.write(() => {
        const { changes } = sql.squeeze.run({ next, facts: JSON.stringify(facts), versionId, artefact });
        if (changes === 0) return;
        sql.replaceOne.run(now, artefact);
        sql.putArtefact.run(next, versionId, bytes);
      });
    },

    async findHead(versionId) {
      const row = sql.findHead.get(versionId) as HeadRow | undefined; // proof: `headColumns`
      return row === undefined ? null : toHead(row);
    },

    async findArtefact(artefact) {
      const row = sql.findArtefact.get(artefact) as [Uint8Array] | undefined; // proof: the column selected
      return row?.[0] ?? null;
    },

    async listRendered(versionIds, renderer) {
      const rows = sql.listRendered.all(JSON.stringify(versionIds), renderer) as [string][]; // proof: see listIds
      return new Set(rows.map(([id]) => id));
    },

    async listOutdated(renderer, after, limit) {
      const behind = after === null ? ([0, ''] as const) : ([after.renderer, after.versionId] as const);
      const rows = sql.listOutdated.all(renderer, ...behind, limit) as OutdatedRow[]; // proof: the columns selected
      return rows.map(([made, versionId, dropId]) => ({ renderer: made, versionId, dropId }));
    },

    async removeReplaced(before, limit) {
      const ids = sql.listReplaced.all(before, limit) as [string][]; // proof: the column selected
      await writeInSlices(db, ids, ([id]) => sql.deleteArtefact.run(id)); // no write makes it current again
      return ids.length;
    },

    async delete(versionIds) {
      await writeInSlices(db, versionIds, (id) => {
        sql.delete.run(id);
        sql.deleteArtefacts.run(id);
      });
    },

    async listIds(after, below, limit) {
      const rows = sql.listIds.all(after, below, limit) as [string][]; // proof: the column selected
      return rows.map(([id]) => id);
    },
  };
}

function toHead([renderer, insertAt, insertion, facts, br, gzip, isSqueezed]: HeadRow): RenderHead {
  return {
    plan: { renderer, insertAt, insertion },
    facts: JSON.parse(facts), // proof: what `put` and `squeeze` have written
    artefacts: { br, gzip },
    isSqueezed: isSqueezed !== 0,
  };
}

import type { Database } from '../sqlite/database.ts';
import { blobIds } from '../sqlite/table.ts';
import type { Artefact, ArtefactPart, RenderHead, RenderStore } from './render-store.ts';

export class SqliteRenders implements RenderStore {
  readonly delete: RenderStore['delete'];
  readonly listIds: RenderStore['listIds'];
  readonly #db: Database;
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: Database) {
    const ids = blobIds(db, 'artefacts', 'version_id');
    this.delete = ids.delete;
    this.listIds = ids.listIds;
    this.#db = db;
    this.#sql = prepare(db);
  }

  async put(versionId: string, { head, br, gzip, context }: Artefact): Promise<void> {
    const values = [versionId, head.plan.renderer, JSON.stringify(head), br, gzip, context];
    await this.#db.writeDerived(() => this.#sql.put.run(...values));
  }

  async findHead(versionId: string, renderer: number): Promise<RenderHead | null> {
    const row = this.#sql.findHead.get(versionId, renderer);
    return row === undefined ? null : JSON.parse(row[0]); // proof: what `put` has written
  }

  async findPart(versionId: string, { plan }: RenderHead, part: ArtefactPart): Promise<Uint8Array | null> {
    return this.#sql.findPart[part].get(versionId, plan.renderer)?.[0] ?? null;
  }

  async listRendered(versionIds: readonly string[], renderer: number): Promise<Set<string>> {
    const rows = this.#sql.listRendered.all(JSON.stringify(versionIds), renderer);
    return new Set(rows.map(([id]) => id));
  }

  deleteOlder(versionId: string, renderer: number): Promise<boolean> {
    return this.#db.write(() => this.#sql.deleteOlder.run(versionId, renderer).changes > 0);
  }
}

function prepare(db: Database) {
  const part = (column: ArtefactPart) =>
    db.prepareTuples<[bytes: Uint8Array | null]>(
      `SELECT ${column} FROM artefacts WHERE version_id = ? AND renderer = ?`,
    );
  return {
    put: db.prepare(`
      INSERT INTO artefacts (version_id, renderer, head, br, gzip, context) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING`),
    findHead: db.prepareTuples<[head: string]>(`
      SELECT head FROM artefacts WHERE version_id = ? AND renderer <= ? ORDER BY renderer DESC LIMIT 1`),
    findPart: { br: part('br'), gzip: part('gzip'), context: part('context') },
    listRendered: db.prepareTuples<[versionId: string]>(`
      SELECT version_id FROM artefacts WHERE version_id IN (SELECT value FROM json_each(?)) AND renderer = ?`),
    deleteOlder: db.prepare('DELETE FROM artefacts WHERE version_id = ? AND renderer < ?'),
  };
}

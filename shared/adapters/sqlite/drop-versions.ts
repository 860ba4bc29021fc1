import type { NewVersion, Version } from '../../domain/drop.ts';
import type { Database } from './database.ts';
import { toVersion, type VersionRow, versionColumns } from './drop-rows.ts';

/** A drop's list of versions and its trash. What changes them is called inside a write. */
export function createDropVersions(db: Database) {
  const sql = {
    list: db.prepareTuples(`
      SELECT ${versionColumns} FROM drop_versions WHERE drop_id = ? ORDER BY number DESC`),
    newest: db.prepareTuples(`
      SELECT ${versionColumns} FROM drop_versions WHERE drop_id = ? ORDER BY number DESC LIMIT 1`),
    find: db.prepareTuples(`SELECT ${versionColumns} FROM drop_versions WHERE drop_id = ? AND number = ?`),
    insert: db.prepare(`
      INSERT INTO drop_versions (drop_id, owner_id, number, id, size_bytes, has_context, media_type, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`),
    isKnown: db.prepareTuples(`
      SELECT 1 FROM drop_versions WHERE id = $id UNION ALL SELECT 1 FROM drop_trash WHERE version_id = $id`),
    remove: db.prepare('DELETE FROM drop_versions WHERE drop_id = ? AND number = ?'),
    trash: db.prepare('INSERT INTO drop_trash (drop_id, version_id) VALUES (?, ?)'),
  };

  return {
    /** Newest first. */
    list(dropId: string): Version[] {
      return (sql.list.all(dropId) as VersionRow[]).map(toVersion); // proof: `versionColumns`
    },

    find(dropId: string, number: number): Version | null {
      const row = sql.find.get(dropId, number) as VersionRow | undefined; // proof: `versionColumns`
      return row === undefined ? null : toVersion(row);
    },

    newest(dropId: string): Version {
      return toVersion(sql.newest.get(dropId) as VersionRow); // proof: `versionColumns`; a drop has a version
    },

    /** Whether the id is, or was a moment ago, that of a version. */
    isKnown(id: string): boolean {
      return sql.isKnown.get({ id }) !== undefined;
    },

    insert(dropId: string, ownerId: string, number: number, version: NewVersion): void {
      const { id, sizeBytes, hasContext, mediaType, createdAt } = version;
      sql.insert.run(dropId, ownerId, number, id, sizeBytes, Number(hasContext), mediaType, createdAt);
    },

    /** Takes the version from the list; its id goes to the trash. */
    discard(dropId: string, { number, id }: Version): void {
      sql.remove.run(dropId, number);
      sql.trash.run(dropId, id);
    },
  };
}

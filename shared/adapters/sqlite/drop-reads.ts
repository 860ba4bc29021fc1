import { type Drop, type Page, sortFields, sortOrders, type Version } from '../../domain/drop.ts';
import type { DropStore } from '../../ports/drop-store.ts';
import type { Database, Statement } from './database.ts';
import {
  type DropRow,
  dropColumns,
  toDrop,
  toVersion,
  type VersionRow,
  versionColumns,
} from './drop-rows.ts';
import type { PageMemory } from './page-memory.ts';

type PageRow = [
  dropId: string,
  slug: string,
  title: string,
  description: string | null,
  lockId: string | null,
  lockHash: string | null,
  takenDownAt: number | null,
  latestVersion: number,
  headId: string,
  headSizeBytes: number,
  headHasContext: number,
  headMediaType: string,
  headCreatedAt: number,
];

const pageColumns = `
  id, slug, title, description, lock_id, lock_hash, taken_down_at, latest_version, head_id, head_size_bytes,
  head_has_context, head_media_type, head_created_at`;

const ownedAt = 'owner_id = ? AND slug = ? AND deleted_at IS NULL';

/** The live drops of an owner. */
const all = 'drops WHERE owner_id = $ownerId AND deleted_at IS NULL';

/** Ids of the drops that have each of the `$count` distinct pairs. Deleted drops have no such rows. */
const matching = `
  SELECT drop_id FROM json_each($pairs) AS pair CROSS JOIN drop_metadata AS entry
  WHERE entry.owner_id = $ownerId AND entry.key = pair.value ->> 0 AND entry.value = pair.value ->> 1
  GROUP BY drop_id HAVING count(*) = $count`;

type DropReads = Pick<DropStore, 'find' | 'list' | 'count' | 'listVersions' | 'findVersion' | 'findPage'>;

export function createDropReads(db: Database, memory: PageMemory): DropReads {
  const sql = {
    find: db.prepareTuples(`SELECT ${dropColumns} FROM drops WHERE ${ownedAt}`),
    findLatest: db.prepareTuples(`SELECT id, latest_version FROM drops WHERE ${ownedAt}`),
    findPage: db.prepareTuples(`SELECT ${pageColumns} FROM drops WHERE slug = ? AND deleted_at IS NULL`),
    listVersions: db.prepareTuples(`
      SELECT ${versionColumns} FROM drop_versions WHERE drop_id = ? ORDER BY number DESC`),
    findVersion: db.prepareTuples(`
      SELECT ${versionColumns} FROM drop_versions WHERE drop_id = ? AND number = ?`),
    countAll: db.prepareTuples(`SELECT count(*) FROM ${all}`),
    countMatching: db.prepareTuples(`SELECT count(*) FROM (${matching})`),
  };
  /** One statement for each order, with and without a filter, whatever the filter contains. */
  const lists = new Map<string, { all: Statement; matching: Statement }>();
  for (const field of sortFields) {
    for (const order of sortOrders) {
      const ties = field === 'created_at' ? 'id' : 'created_at DESC, id';
      const page = `ORDER BY ${field} ${order}, ${ties} LIMIT $limit OFFSET $offset`;
      lists.set(`${field} ${order}`, {
        all: prepareList(`${all} ${page}`),
        matching: prepareList(`(${matching}) CROSS JOIN drops ON id = drop_id ${page}`),
      });
    }
  }

  /** As one JSON text: a page of single values takes twice as long to read from SQLite. */
  function prepareList(from: string): Statement {
    return db.prepareTuples(`
      SELECT json_group_array(json_array(${dropColumns})) FROM (SELECT ${dropColumns} FROM ${from})`);
  }

  /** @param statement an aggregate, which always has one row */
  function aggregate<T>(statement: Statement, values: Record<string, string | number>): T {
    return (statement.get(values) as [T])[0]; // proof: the caller names the type of the one column
  }

  function findLatest(ownerId: string, slug: string): { dropId: string; latestVersion: number } | null {
    const row = sql.findLatest.get(ownerId, slug) as [string, number] | undefined; // proof: the columns selected
    return row === undefined ? null : { dropId: row[0], latestVersion: row[1] };
  }

  function findVersion(dropId: string, number: number): Version | null {
    const row = sql.findVersion.get(dropId, number) as VersionRow | undefined; // proof: `versionColumns`
    return row === undefined ? null : toVersion(row);
  }

  function readPage(slug: string, number: number | null): Page | null {
    const row = sql.findPage.get(slug) as PageRow | undefined; // proof: `pageColumns`
    if (row === undefined) return null;
    const latest = toPage(row);
    const isLatest = number === null || number === latest.latestVersion;
    const page = isLatest ? latest : { ...latest, version: findVersion(latest.dropId, number) };
    memory.keep(latest, number, page);
    return page;
  }

  return {
    async find(ownerId, slug) {
      const row = sql.find.get(ownerId, slug) as DropRow | undefined; // proof: `dropColumns`
      return row === undefined ? null : toDrop(row);
    },

    async list(ownerId, { page, pageSize: limit, sortBy, sortOrder, metadata }) {
      const none = { drops: [] as Drop[], total: 0 };
      const pairs = new Map(metadata);
      if (metadata.some(([key, value]) => pairs.get(key) !== value)) return none;
      const statements = lists.get(`${sortBy} ${sortOrder}`);
      if (statements === undefined) throw new TypeError(`Drops cannot be sorted by ${sortBy} ${sortOrder}`);
      const isFiltered = pairs.size > 0;
      const filter = isFiltered
        ? { ownerId, pairs: JSON.stringify([...pairs]), count: pairs.size }
        : { ownerId };
      const total = aggregate<number>(isFiltered ? sql.countMatching : sql.countAll, filter);
      const offset = (page - 1) * limit;
      if (offset >= total) return { ...none, total }; // also for an offset beyond SQLite's integers
      const statement = isFiltered ? statements.matching : statements.all;
      const rows: DropRow[] = JSON.parse(aggregate<string>(statement, { ...filter, limit, offset }));
      return { drops: rows.map(toDrop), total };
    },

    async count(ownerId) {
      return aggregate<number>(sql.countAll, { ownerId });
    },

    async listVersions(ownerId, slug) {
      const drop = findLatest(ownerId, slug);
      if (drop === null) return null;
      return (sql.listVersions.all(drop.dropId) as VersionRow[]).map(toVersion); // proof: `versionColumns`
    },

    async findVersion(ownerId, slug, number) {
      const drop = findLatest(ownerId, slug);
      const version = drop === null ? null : findVersion(drop.dropId, number);
      if (drop === null || version === null) return null;
      return { version, latestVersion: drop.latestVersion };
    },

    findPage(slug, number) {
      return memory.recall(slug, number) ?? readPage(slug, number);
    },
  };
}

/** The page with its latest version. */
function toPage(row: PageRow): Page {
  const [dropId, slug, title, description, lockId, lockHash, takenDownAt, latestVersion, ...head] = row;
  const [id, sizeBytes, hasContext, mediaType, createdAt] = head;
  return {
    dropId,
    slug,
    title,
    description,
    lock: lockId === null || lockHash === null ? null : { id: lockId, hash: lockHash },
    isTakenDown: takenDownAt !== null,
    latestVersion,
    version: { id, number: latestVersion, sizeBytes, hasContext: hasContext !== 0, mediaType, createdAt },
  };
}

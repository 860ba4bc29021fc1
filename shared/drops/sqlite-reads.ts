import type { Clock } from '../domain/clock.ts';
import type { Database, Statement, Value } from '../sqlite/database.ts';
import { createTimeSlices } from '../util/queues.ts';
import { type Drop, type DropQuery, sortFields, sortOrders } from './drop.ts';
import type { DropReads } from './drop-store.ts';
import { createSearch } from './search.ts';
import {
  type DropRow,
  dropColumns,
  isLive,
  type PageRow,
  pageColumns,
  toDrop,
  toDropOrNull,
  toOwnedVersion,
  toPage,
  toVersion,
  type VersionRow,
  versionColumns,
} from './sqlite-rows.ts';

const ownedAt = `owner_id = ? AND slug = ? AND ${isLive('?')}`;

/** SQL: the live drops of an owner. Without the index's name SQLite may read every row. */
const all = `drops INDEXED BY drops_by_owner WHERE owner_id = $ownerId AND ${isLive('$now')}`;

/** SQL: ids of drops of the owner that have expired. */
const expired = `SELECT id FROM drops INDEXED BY drops_by_owner
  WHERE owner_id = $ownerId AND deleted_at IS NULL AND expires_at <= $now`;

/** SQL: live drops by an index without the time of expiry. Reading rows is slow (docs/performance.md). */
function allBy(index: string): string {
  return `drops INDEXED BY ${index} WHERE owner_id = $ownerId AND deleted_at IS NULL AND id NOT IN (${expired})`;
}

/** Where lists find their ids: in the descending order of an index, or the ascending one of titles. */
const sources = {
  created_at: { from: all, by: 'created_at' },
  updated_at: { from: allBy('drops_by_change'), by: 'updated_at' },
  view_count: { from: allBy('drops_by_views'), by: 'view_count' },
  title: { from: allBy('drops_by_title'), by: 'folded_title' },
} as const satisfies Record<DropQuery['sortBy'], object>;

/** SQL: whether a drop has each of the `$count` distinct pairs. */
const matches = `id IN (
  SELECT drop_id FROM json_each($pairs) AS pair CROSS JOIN drop_metadata AS entry
  WHERE entry.owner_id = $ownerId AND entry.key = pair.value ->> 0 AND entry.value = pair.value ->> 1
  GROUP BY drop_id HAVING count(*) = $count)`;

/** Returns its rows as one JSON text. */
type Rows = Statement<[json: string]>;

/** Reading and searching the longest texts and tags of so many drops takes about a millisecond. */
const searchedAtOnce = 10;
/** Reading so many drops with the longest texts and metadata takes four milliseconds. */
const readAtOnce = 50;
/** Counting so many of the longest tags takes about a millisecond, and 10,000 equal ones, which are not divided, three. */
const countedAtOnce = 1_000;
/** SQLite sorts bytes after every text. */
const afterTexts = [Buffer.of(), Buffer.of()] as const;

export function createDropReads(db: Database, clock: Clock): DropReads {
  const turns = createTimeSlices();
  const sql = {
    find: db.prepareTuples<DropRow>(`SELECT ${dropColumns} FROM drops WHERE ${ownedAt}`),
    findLatest: db.prepareTuples<[id: string, title: string, latestVersion: number]>(
      `SELECT id, title, latest_version FROM drops WHERE ${ownedAt}`,
    ),
    findPage: db.prepareTuples<PageRow>(`SELECT ${pageColumns} FROM drops WHERE slug = ? AND ${isLive('?')}`),
    findRevisions: db.prepareTuples<[slug: string, rev: number]>(`
      SELECT slug, rev FROM drops WHERE slug IN (SELECT value FROM json_each(?)) AND ${isLive('?')}`),
    listVersions: db.prepareTuples<VersionRow>(`
      SELECT ${versionColumns} FROM drop_versions WHERE drop_id = ? ORDER BY number DESC`),
    findVersion: db.prepareTuples<VersionRow>(`
      SELECT ${versionColumns} FROM drop_versions WHERE drop_id = ? AND number = ?`),
    listSlugs: db.prepareTuples<[slug: string]>(`SELECT slug FROM ${all} ORDER BY created_at, id`),
    countAll: db.prepareTuples<[count: number]>(`SELECT count(*) FROM ${all}`),
    findTag: db.prepareTuples<[key: string, value: string]>(`
      SELECT key, value FROM drop_metadata WHERE owner_id = $ownerId AND (key, value) > ($key, $value)
      ORDER BY key, value LIMIT 1 OFFSET ${countedAtOnce}`),
    countTags: db.prepareTuples<[key: string, value: string, count: number]>(`
      SELECT key, value, count FROM (
        SELECT key, value, count(*) AS count FROM drop_metadata
        WHERE owner_id = $ownerId AND (key, value) > ($key, $value) AND (key, value) <= ($lastKey, $lastValue)
          AND drop_id NOT IN (${expired})
        GROUP BY key, value UNION ALL SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each($counted))
      ORDER BY count DESC, key || '=' || value LIMIT $limit`),
    texts: db.prepareTuples<[id: string, folded: string]>(`
      SELECT drops.id, folded FROM json_each(?) CROSS JOIN drops ON drops.id = value`),
  };
  /** For each order: the ids of a page of all drops, of all drops, and of those that match a filter. */
  const lists = new Map<string, Readonly<Record<'page' | 'ids' | 'matchingIds', Rows>>>();
  for (const field of sortFields) {
    for (const order of sortOrders) {
      const ties = field === 'created_at' ? 'id' : 'created_at DESC, id';
      const { from: source, by } = sources[field];
      const sorted = `ORDER BY ${by} ${order}, ${ties}`;
      lists.set(`${field} ${order}`, {
        page: prepareRows('id', `${source} ${sorted} LIMIT $limit OFFSET $offset`),
        ids: prepareRows('id', `${source} ${sorted}`),
        matchingIds: prepareRows('id', `${source} AND ${matches} ${sorted}`),
      });
    }
  }
  const findListed = prepareRows(
    dropColumns,
    `drops WHERE id IN (SELECT value FROM json_each($ids)) AND ${isLive('$now')}`,
  );

  /** As one JSON text: single values take longer to read from SQLite (docs/performance.md). */
  function prepareRows(columns: string, from: string): Rows {
    return db.prepareTuples(`
      SELECT json_group_array(json_array(${columns})) FROM (SELECT ${columns} FROM ${from})`);
  }

  async function search(words: string, ids: readonly string[]): Promise<string[]> {
    const matches = createSearch(words);
    const found: string[] = [];
    for (let at = 0; at < ids.length; at += searchedAtOnce) {
      if (turns.isOver()) await turns.next();
      const texts = sql.texts.all(JSON.stringify(ids.slice(at, at + searchedAtOnce)));
      for (const [id, folded] of texts) if (matches(folded)) found.push(id);
    }
    return found;
  }

  /** In this order, without those that were deleted meanwhile. */
  async function findAll(ids: readonly string[]): Promise<Drop[]> {
    const drops = new Map<string, Drop>();
    for (let at = 0; at < ids.length; at += readAtOnce) {
      if (turns.isOver()) await turns.next();
      const values = { ids: JSON.stringify(ids.slice(at, at + readAtOnce)), now: clock.now() };
      const rows: DropRow[] = JSON.parse(aggregate(findListed, values));
      for (const drop of rows.map(toDrop)) drops.set(drop.id, drop);
    }
    return ids.flatMap((id) => drops.get(id) ?? []);
  }

  function readIds(statement: Rows, values: Record<string, string | number>): string[] {
    const rows: [id: string][] = JSON.parse(aggregate(statement, values));
    return rows.flat();
  }

  /** @param statement an aggregate, which always has one row */
  function aggregate<T>(statement: Statement<[T]>, values: Record<string, string | number>): T {
    const row = statement.get(values);
    if (row === undefined) throw new Error('an aggregate returned no row');
    return row[0];
  }

  function findLatest(ownerId: string, slug: string) {
    const row = sql.findLatest.get(ownerId, slug, clock.now());
    return row === undefined ? null : { dropId: row[0], title: row[1], latestVersion: row[2] };
  }

  return {
    async find(ownerId, slug) {
      return toDropOrNull(sql.find.get(ownerId, slug, clock.now()));
    },

    async list(ownerId, { page, pageSize: limit, sortBy, sortOrder, metadata, search: words }) {
      const none = { drops: [] as Drop[], total: 0 };
      const pairs = new Map(metadata);
      if (metadata.some(([key, value]) => pairs.get(key) !== value)) return none;
      const statements = lists.get(`${sortBy} ${sortOrder}`);
      if (statements === undefined) throw new TypeError(`Drops cannot be sorted by ${sortBy} ${sortOrder}`);
      const owned = { ownerId, now: clock.now() };
      const offset = (page - 1) * limit;
      await turns.next();
      if (pairs.size > 0 || words !== undefined) {
        const filter = { pairs: JSON.stringify([...pairs]), count: pairs.size };
        const ids =
          pairs.size > 0
            ? readIds(statements.matchingIds, { ...owned, ...filter })
            : readIds(statements.ids, owned);
        const found = words === undefined ? ids : await search(words, ids);
        return { drops: await findAll(found.slice(offset, offset + limit)), total: found.length };
      }
      const total = aggregate(sql.countAll, owned);
      if (offset >= total) return { ...none, total }; // also for an offset beyond SQLite's integers
      return { drops: await findAll(readIds(statements.page, { ...owned, limit, offset })), total };
    },

    async listSlugs(ownerId) {
      const rows = sql.listSlugs.all({ ownerId, now: clock.now() });
      return rows.map(([slug]) => slug);
    },

    async count(ownerId) {
      return aggregate(sql.countAll, { ownerId, now: clock.now() });
    },

    async countTags(ownerId, limit) {
      await turns.next();
      let counted: [key: string, value: string, count: number][] = [];
      let [key, value]: readonly [Value, Value] = ['', ''];
      while (typeof key === 'string') {
        if (turns.isOver()) await turns.next();
        const from: Record<string, Value> = { ownerId, key, value };
        [key, value] = sql.findTag.get(from) ?? afterTexts;
        const upTo = { lastKey: key, lastValue: value, now: clock.now() };
        counted = sql.countTags.all({ ...from, ...upTo, counted: JSON.stringify(counted), limit });
      }
      return counted.map(([key, value, count]) => ({ key, value, count }));
    },

    async listVersions(ownerId, slug) {
      const drop = findLatest(ownerId, slug);
      if (drop === null) return null;
      return sql.listVersions.all(drop.dropId).map(toOwnedVersion);
    },

    async findVersion(ownerId, slug, number) {
      const drop = findLatest(ownerId, slug);
      if (drop === null) return null;
      const { dropId, title, latestVersion } = drop;
      const row = sql.findVersion.get(dropId, number ?? latestVersion);
      return row === undefined ? null : { version: toOwnedVersion(row), title, latestVersion };
    },

    findPage(slug, number) {
      const row = sql.findPage.get(slug, clock.now());
      if (row === undefined) return null;
      const latest = toPage(row);
      if (number === null || number === latest.latestVersion) return latest;
      const version = sql.findVersion.get(latest.dropId, number);
      return { ...latest, version: version === undefined ? null : toVersion(version) };
    },

    async findRevisions(slugs) {
      return new Map(sql.findRevisions.all(JSON.stringify(slugs), clock.now()));
    },
  };
}

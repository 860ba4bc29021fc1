import type { Clock } from '../domain/clock.ts';
import type { Database, Value } from '../sqlite/database.ts';
import { TimeSlices } from '../util/time-slices.ts';
import type { Drop, FoundVersion, OwnedVersion, Page } from './drop.ts';
import type { DropQuery, TagCount } from './drop-query.ts';
import type { DropReads } from './drop-store.ts';
import { createSearch } from './search.ts';
import { aggregate, expiredOfOwner, liveOfOwner, prepareRows, readIds, SqliteLists } from './sqlite-lists.ts';
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

/** Reading and searching the longest texts and tags of so many drops takes about a millisecond. */
const searchedAtOnce = 10;
/** Reading so many drops with the longest texts and metadata takes four milliseconds. */
const readAtOnce = 50;
/** Counting so many of the longest tags takes about a millisecond, and 10,000 equal ones, which are not divided, three. */
const countedAtOnce = 1_000;
/** After every id, which has hex digits. */
const afterIds = 'g';
/** SQLite sorts bytes after every text. */
const afterTexts = [Buffer.of(), Buffer.of()] as const;

/** Lists and searches take turns, in parts of at most 5 ms. */
export class SqliteDropReads implements DropReads {
  readonly #clock: Clock;
  readonly #sql: ReturnType<typeof prepare>;
  readonly #lists: SqliteLists;
  readonly #slices = new TimeSlices();

  constructor(db: Database, clock: Clock) {
    this.#clock = clock;
    this.#sql = prepare(db);
    this.#lists = new SqliteLists(db);
  }

  async find(ownerId: string, slug: string): Promise<Drop | null> {
    return toDropOrNull(this.#sql.find.get(ownerId, slug, this.#clock.now()));
  }

  async list(ownerId: string, query: DropQuery): Promise<{ drops: Drop[]; total: number }> {
    const { metadata, page, pageSize: limit } = query;
    const pairs = new Map(metadata);
    if (metadata.some(([key, value]) => pairs.get(key) !== value)) return { drops: [], total: 0 };
    const statements = this.#lists.in(query);
    const owned = { ownerId, now: this.#clock.now() };
    const offset = (page - 1) * limit;
    await this.#slices.next();
    if (pairs.size === 0 && query.search === undefined) {
      const total = aggregate(this.#sql.countAll, owned);
      if (offset >= total) return { drops: [], total }; // also for an offset beyond SQLite's integers
      return { drops: await this.#findAll(readIds(statements.page, { ...owned, limit, offset })), total };
    }
    const filter = { pairs: JSON.stringify([...pairs]), count: pairs.size };
    const ids =
      pairs.size > 0
        ? readIds(statements.matchingIds, { ...owned, ...filter })
        : readIds(statements.ids, owned);
    const found = query.search === undefined ? ids : await this.#search(query.search, ids);
    return { drops: await this.#findAll(found.slice(offset, offset + limit)), total: found.length };
  }

  async listSlugs(ownerId: string): Promise<string[]> {
    const rows = this.#sql.listSlugs.all({ ownerId, now: this.#clock.now() });
    return rows.map(([slug]) => slug);
  }

  async count(ownerId: string): Promise<number> {
    return aggregate(this.#sql.countAll, { ownerId, now: this.#clock.now() });
  }

  async countTags(ownerId: string, limit: number): Promise<TagCount[]> {
    await this.#slices.next();
    let counted: [key: string, value: string, count: number][] = [];
    let at: readonly [key: Value, value: Value] = ['', ''];
    while (typeof at[0] === 'string') {
      if (this.#slices.isOver()) await this.#slices.next();
      const from: Record<string, Value> = { ownerId, key: at[0], value: at[1] };
      at = this.#sql.findTag.get(from) ?? afterTexts;
      const upTo = { lastKey: at[0], lastValue: at[1], now: this.#clock.now() };
      counted = this.#sql.countTags.all({ ...from, ...upTo, counted: JSON.stringify(counted), limit });
    }
    return counted.map(([key, value, count]) => ({ key, value, count }));
  }

  async listShared(
    people: readonly string[],
    { exceptOwner, after, limit }: Parameters<DropReads['listShared']>[1],
  ): Promise<Drop[]> {
    const ids = new Set<string>();
    const below = after ?? afterIds;
    for (const person of new Set(people)) {
      if (this.#slices.isOver()) await this.#slices.next();
      const values = { person, below, exceptOwner, now: this.#clock.now(), limit };
      for (const [id] of this.#sql.listShared.all(values)) ids.add(id);
    }
    return this.#findAll([...ids].sort().reverse().slice(0, limit));
  }

  async listVersions(ownerId: string, slug: string): Promise<OwnedVersion[] | null> {
    const drop = this.#findLatest(ownerId, slug);
    if (drop === null) return null;
    return this.#sql.listVersions.all(drop.dropId).map(toOwnedVersion);
  }

  async findVersion(ownerId: string, slug: string, number: number | null): Promise<FoundVersion | null> {
    const drop = this.#findLatest(ownerId, slug);
    if (drop === null) return null;
    const { dropId, title, latestVersion } = drop;
    const row = this.#sql.findVersion.get(dropId, number ?? latestVersion);
    return row === undefined ? null : { version: toOwnedVersion(row), title, latestVersion };
  }

  findPage(slug: string, number: number | null): Page | null {
    const row = this.#sql.findPage.get(slug, this.#clock.now());
    if (row === undefined) return null;
    const latest = toPage(row);
    if (number === null || number === latest.latestVersion) return latest;
    const version = this.#sql.findVersion.get(latest.dropId, number);
    return { ...latest, version: version === undefined ? null : toVersion(version) };
  }

  async findRevisions(slugs: readonly string[]): Promise<Map<string, number>> {
    return new Map(this.#sql.findRevisions.all(JSON.stringify(slugs), this.#clock.now()));
  }

  #findLatest(ownerId: string, slug: string) {
    const row = this.#sql.findLatest.get(ownerId, slug, this.#clock.now());
    if (row === undefined) return null;
    const [dropId, title, latestVersion] = row;
    return { dropId, title, latestVersion };
  }

  async #search(words: string, ids: readonly string[]): Promise<string[]> {
    const matches = createSearch(words);
    const found: string[] = [];
    for (let at = 0; at < ids.length; at += searchedAtOnce) {
      if (this.#slices.isOver()) await this.#slices.next();
      const texts = this.#sql.texts.all(JSON.stringify(ids.slice(at, at + searchedAtOnce)));
      for (const [id, folded] of texts) if (matches(folded)) found.push(id);
    }
    return found;
  }

  /** In this order, without those that were deleted meanwhile. */
  async #findAll(ids: readonly string[]): Promise<Drop[]> {
    const drops = new Map<string, Drop>();
    for (let at = 0; at < ids.length; at += readAtOnce) {
      if (this.#slices.isOver()) await this.#slices.next();
      const values = { ids: JSON.stringify(ids.slice(at, at + readAtOnce)), now: this.#clock.now() };
      const rows: DropRow[] = JSON.parse(aggregate(this.#sql.findListed, values));
      for (const drop of rows.map(toDrop)) drops.set(drop.id, drop);
    }
    return ids.flatMap((id) => drops.get(id) ?? []);
  }
}

function prepare(db: Database) {
  return {
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
    listShared: db.prepareTuples<[id: string]>(`
      SELECT drop_id FROM drop_people CROSS JOIN drops ON drops.id = drop_id
      WHERE person = $person AND drop_id < $below AND owner_id <> $exceptOwner AND taken_down_at IS NULL AND ${isLive('$now')}
      ORDER BY drop_id DESC LIMIT $limit`),
    listSlugs: db.prepareTuples<[slug: string]>(`SELECT slug FROM ${liveOfOwner} ORDER BY created_at, id`),
    countAll: db.prepareTuples<[count: number]>(`SELECT count(*) FROM ${liveOfOwner}`),
    findTag: db.prepareTuples<[key: string, value: string]>(`
      SELECT key, value FROM drop_metadata WHERE owner_id = $ownerId AND (key, value) > ($key, $value)
      ORDER BY key, value LIMIT 1 OFFSET ${countedAtOnce}`),
    countTags: db.prepareTuples<[key: string, value: string, count: number]>(`
      SELECT key, value, count FROM (
        SELECT key, value, count(*) AS count FROM drop_metadata
        WHERE owner_id = $ownerId AND (key, value) > ($key, $value) AND (key, value) <= ($lastKey, $lastValue)
          AND drop_id NOT IN (${expiredOfOwner})
        GROUP BY key, value UNION ALL SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each($counted))
      ORDER BY count DESC, key || '=' || value LIMIT $limit`),
    texts: db.prepareTuples<[id: string, folded: string]>(`
      SELECT drops.id, folded FROM json_each(?) CROSS JOIN drops ON drops.id = value`),
    findListed: prepareRows(
      db,
      dropColumns,
      `drops WHERE id IN (SELECT value FROM json_each($ids)) AND ${isLive('$now')}`,
    ),
  };
}

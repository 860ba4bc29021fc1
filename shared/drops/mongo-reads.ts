import type { Connection, Model } from 'mongoose';
import type { Clock } from '../domain/clock.ts';
import { TimeSlices } from '../util/time-slices.ts';
import type { Drop, FoundVersion, OwnedVersion, Page } from './drop.ts';
import type { DropQuery, TagCount } from './drop-query.ts';
import type { DropReads } from './drop-store.ts';
import {
  type DropDocument,
  type DropRow,
  dropModel,
  dropProjection,
  expiredBy,
  type Filter,
  liveDropAt,
  ownedAt,
  type PageRow,
  pageFields,
  toDrop,
  toMetadata,
  toOwnedVersion,
  toPage,
  toPairs,
  versionField,
} from './mongo-schema.ts';
import { foldedOf, type TextRow, textFields } from './mongo-texts.ts';
import { createSearch } from './search.ts';

/** The largest `skip` that every server accepts. Pages beyond it are empty. */
const maxSkip = 2 ** 31 - 1;

/** What lists are sorted by, and an index in that order. */
const orders = {
  created_at: { field: 'created_at', index: 'drops_created', indexed: 'desc' },
  updated_at: { field: 'updated_at', index: 'drops_changed', indexed: 'desc' },
  view_count: { field: 'view_count', index: 'drops_views', indexed: 'desc' },
  title: { field: 'folded_title', index: 'drops_title', indexed: 'asc' },
} as const satisfies Record<DropQuery['sortBy'], object>;

/** The default cap of drops. A server ends an answer at 16 MB: the longest texts and tags of so many take two. */
const textsPerAnswer = 500;

/** Drops that a list shows, and the index to find them with. */
interface Matching {
  readonly filter: Filter;
  readonly hint: string;
}

interface Order {
  readonly sort: Readonly<Record<string, 1 | -1>>;
  readonly hint: string;
}

/** What of a sorted list is shown. */
interface Part {
  readonly skip: number;
  readonly limit: number;
}

interface Listed {
  readonly drops: Drop[];
  readonly total: number;
}

/** Each method sends one command; `list` a second one if it searches, or if there are more drops than on its page. */
export class MongoDropReads implements DropReads {
  readonly #drops: Model<DropDocument>;
  readonly #clock: Clock;
  readonly #slices = new TimeSlices();

  constructor(connection: Connection, clock: Clock) {
    this.#drops = dropModel(connection);
    this.#clock = clock;
  }

  async find(ownerId: string, slug: string): Promise<Drop | null> {
    const owned = ownedAt(ownerId, slug, this.#clock.now());
    const row = await this.#drops.findOne(owned, dropProjection).lean<DropRow>();
    return row === null ? null : toDrop(row);
  }

  async list(ownerId: string, query: DropQuery): Promise<Listed> {
    const pairs = new Map(query.metadata);
    if (query.metadata.some(([key, value]) => pairs.get(key) !== value)) return { drops: [], total: 0 };
    const matching = dropsWith(ownerId, pairs, this.#clock.now());
    const order = orderOf(query, pairs.size === 0, matching.hint);
    const part = { skip: (query.page - 1) * query.pageSize, limit: query.pageSize };
    if (query.search !== undefined) return this.#search(query.search, matching, order, part);
    return this.#listPart(matching, order, part);
  }

  async listSlugs(owner: string): Promise<string[]> {
    const rows = await this.#drops
      .find({ owner, place: { $gte: 0 }, $nor: [expiredBy(this.#clock.now())] }, { slug: 1 })
      .setOptions({ sort: { created_at: 1, _id: 1 }, batchSize: 10_000, hint: 'drops_place' })
      .lean<Pick<DropDocument, 'slug'>[]>();
    return rows.map(({ slug }) => slug);
  }

  async count(ownerId: string): Promise<number> {
    return this.#count(dropsWith(ownerId, new Map(), this.#clock.now()));
  }

  async countTags(ownerId: string, limit: number): Promise<TagCount[]> {
    const { filter, hint } = dropsWith(ownerId, new Map(), this.#clock.now());
    const counted = await this.#drops.collection
      .aggregate<{ _id: string; count: number }>(
        [
          { $match: filter },
          { $project: { pairs: 1 } },
          { $unwind: '$pairs' },
          { $group: { _id: '$pairs', count: { $sum: 1 } } },
          { $sort: { count: -1, _id: 1 } },
          { $limit: limit },
        ],
        { hint, batchSize: limit + 1 },
      )
      .toArray();
    return counted.flatMap(({ _id, count }) =>
      Array.from(toMetadata([_id]), ([key, value]): TagCount => ({ key, value, count })),
    );
  }

  async listShared(
    people: readonly string[],
    { exceptOwner, after, limit }: Parameters<DropReads['listShared']>[1],
  ): Promise<Drop[]> {
    const shared = {
      people: { $in: people, $exists: true },
      ...(after !== null && { _id: { $lt: after } }),
      deleted_at: null,
      $nor: [expiredBy(this.#clock.now()), { owner: exceptOwner }, { taken_down_at: { $ne: null } }],
    };
    const rows = await this.#drops
      .find(shared, dropProjection)
      .setOptions({ sort: { _id: -1 }, limit, batchSize: limit + 1, hint: 'drops_people' })
      .lean<DropRow[]>();
    return rows.map(toDrop);
  }

  async listVersions(ownerId: string, slug: string): Promise<OwnedVersion[] | null> {
    const row = await this.#drops
      .findOne(ownedAt(ownerId, slug, this.#clock.now()), { versions: 1 })
      .lean<Pick<DropDocument, 'versions'>>();
    return row === null ? null : row.versions.map(toOwnedVersion).reverse();
  }

  async findVersion(ownerId: string, slug: string, number: number | null): Promise<FoundVersion | null> {
    const fields = { title: 1, latest_version: 1, ...versionOrHead(number) };
    const owned = ownedAt(ownerId, slug, this.#clock.now());
    const row = await this.#drops.findOne(owned, fields).lean<PageRow>();
    const version = row?.head ?? row?.versions?.[0];
    if (row === null || version === undefined) return null;
    return { version: toOwnedVersion(version), title: row.title, latestVersion: row.latest_version };
  }

  async findPage(slug: string, number: number | null): Promise<Page | null> {
    const row = await this.#drops
      .findOne(liveDropAt(slug, this.#clock.now()), { ...pageFields, ...versionOrHead(number) })
      .lean<PageRow>();
    return row === null ? null : toPage(row);
  }

  async findRevisions(slugs: readonly string[]): Promise<Map<string, number>> {
    const live = { slug: { $in: slugs }, deleted_at: null, $nor: [expiredBy(this.#clock.now())] };
    const rows = await this.#drops
      .find(live, { _id: 0, slug: 1, rev: 1 })
      .setOptions({ batchSize: slugs.length + 1 })
      .lean<Pick<DropDocument, 'slug' | 'rev'>[]>();
    return new Map(rows.map(({ slug, rev }) => [slug, rev]));
  }

  async #count({ filter, hint }: Matching): Promise<number> {
    return this.#drops.countDocuments(filter, { hint });
  }

  async #listPart(matching: Matching, order: Order, { skip, limit }: Part): Promise<Listed> {
    // One more than the page shows, all in the first answer: the default is 101.
    const options = { ...order, skip, limit: limit + 1, batchSize: limit + 1 };
    const rows =
      skip > maxSkip
        ? []
        : await this.#drops.find(matching.filter, dropProjection, options).lean<DropRow[]>();
    const isLastPage = rows.length <= limit && (rows.length > 0 || skip === 0);
    const total = isLastPage ? skip + rows.length : await this.#count(matching);
    return { drops: rows.slice(0, limit).map(toDrop), total };
  }

  async #search(words: string, { filter }: Matching, order: Order, { skip, limit }: Part): Promise<Listed> {
    // The driver's cursor: Mongoose's takes five times as long for each document.
    const options = { ...order, projection: textFields, batchSize: textsPerAnswer };
    const texts = this.#drops.collection.find<TextRow>(filter, options);
    const matches = createSearch(words);
    const found: string[] = [];
    for await (const row of texts) {
      if (this.#slices.isOver()) await this.#slices.next();
      if (matches(foldedOf(row))) found.push(row._id);
    }
    return { drops: await this.#findAll(found.slice(skip, skip + limit)), total: found.length };
  }

  /** In this order, without those that were deleted meanwhile. */
  async #findAll(ids: readonly string[]): Promise<Drop[]> {
    if (ids.length === 0) return [];
    const live = { _id: { $in: ids }, deleted_at: null, $nor: [expiredBy(this.#clock.now())] };
    const rows = await this.#drops
      .find(live, dropProjection)
      .setOptions({ batchSize: ids.length + 1 })
      .lean<DropRow[]>();
    const byId = new Map(rows.map((row) => [row._id, toDrop(row)]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }
}

/** All live drops of the owner that have every pair. */
function dropsWith(owner: string, pairs: ReadonlyMap<string, string>, now: number): Matching {
  const unexpired = { $nor: [expiredBy(now)] };
  if (pairs.size === 0) return { filter: { owner, place: { $gte: 0 }, ...unexpired }, hint: 'drops_place' };
  return { filter: { owner, pairs: { $all: toPairs(pairs) }, ...unexpired }, hint: 'drops_pairs' };
}

/** In the order of an index only the documents of the page are read. @param hint another index, which finds the drops */
function orderOf({ sortBy, sortOrder }: DropQuery, isWholeList: boolean, hint: string): Order {
  const direction = sortOrder === 'asc' ? 1 : -1;
  const { field, index, indexed } = orders[sortBy];
  const byCreation = { created_at: direction, _id: 1 } as const;
  const sort =
    sortBy === 'created_at' ? byCreation : ({ [field]: direction, created_at: -1, _id: 1 } as const);
  return { sort, hint: isWholeList && sortOrder === indexed ? index : hint };
}

/** Projection of the version with that number, or of the latest. */
function versionOrHead(number: number | null): Filter {
  return number === null ? { head: 1 } : versionField(number);
}

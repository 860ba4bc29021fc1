import type { Connection } from 'mongoose';
import type { Clock } from '../domain/clock.ts';
import { createTimeSlices } from '../util/queues.ts';
import type { Drop, DropQuery, TagCount } from './drop.ts';
import type { DropReads } from './drop-store.ts';
import {
  type DropDocument,
  type DropRow,
  dropFields,
  dropModel,
  type Filter,
  hasExpired,
  liveDropAt,
  ownedAt,
  type PageRow,
  pageFields,
  readPairs,
  toDrop,
  toOwnedVersion,
  toPage,
  toPairs,
  versionField,
} from './mongo-schema.ts';
import { foldedOf, type TextRow, textFields } from './mongo-texts.ts';
import { createSearch } from './search.ts';

/** The largest `skip` that every server accepts. Pages beyond it are empty. */
const maxSkip = 2 ** 31 - 1;

/** All live drops of the owner that have every pair, with the index to use. */
function matching(
  owner: string,
  pairs: ReadonlyMap<string, string>,
  now: number,
): { filter: Filter; hint: string } {
  const unexpired = { $nor: [hasExpired(now)] };
  if (pairs.size === 0) return { filter: { owner, place: { $gte: 0 }, ...unexpired }, hint: 'drops_place' };
  return { filter: { owner, pairs: { $all: toPairs(pairs) }, ...unexpired }, hint: 'drops_pairs' };
}

/** What lists are sorted by, and an index in that order. */
const orders = {
  created_at: { field: 'created_at', index: 'drops_created', indexed: 'desc' },
  updated_at: { field: 'updated_at', index: 'drops_changed', indexed: 'desc' },
  view_count: { field: 'view_count', index: 'drops_views', indexed: 'desc' },
  title: { field: 'folded_title', index: 'drops_title', indexed: 'asc' },
} as const satisfies Record<DropQuery['sortBy'], object>;

/** The default cap of drops. A server ends an answer at 16 MB: the longest texts and tags of so many take two. */
const textsPerAnswer = 500;

/** Projection of the version with that number, or of the latest. */
function versionOrHead(number: number | null): Filter {
  return number === null ? { head: 1 } : versionField(number);
}

/** Each method sends one command; `list` a second one if it searches, or if there are more drops than on its page. */
export function createDropReads(connection: Connection, clock: Clock): DropReads {
  const drops = dropModel(connection);
  const turns = createTimeSlices();

  async function count(ownerId: string, pairs: ReadonlyMap<string, string>): Promise<number> {
    const { filter, hint } = matching(ownerId, pairs, clock.now());
    return drops.countDocuments(filter, { hint });
  }

  /** A page of the drops that the search finds, sorted as `texts`. */
  async function search(
    words: string,
    texts: AsyncIterable<TextRow>,
    { skip, limit }: { skip: number; limit: number },
  ): Promise<{ drops: Drop[]; total: number }> {
    const matches = createSearch(words);
    const found: string[] = [];
    for await (const row of texts) {
      if (turns.isOver()) await turns.next();
      if (matches(foldedOf(row))) found.push(row._id);
    }
    const ids = found.slice(skip, skip + limit);
    const unexpired = { deleted_at: null, $nor: [hasExpired(clock.now())] };
    const rows =
      ids.length === 0
        ? []
        : await drops
            .find({ _id: { $in: ids }, ...unexpired }, dropFields)
            .setOptions({ batchSize: limit + 1 })
            .lean<DropRow[]>();
    const byId = new Map(rows.map((row) => [row._id, toDrop(row)]));
    // A drop that was deleted meanwhile is left out.
    return { drops: ids.flatMap((id) => byId.get(id) ?? []), total: found.length };
  }

  return {
    async find(ownerId, slug) {
      const row = await drops.findOne(ownedAt(ownerId, slug, clock.now()), dropFields).lean<DropRow>();
      return row === null ? null : toDrop(row);
    },

    async list(ownerId, { page, pageSize: limit, sortBy, sortOrder, metadata, search: words }) {
      const pairs = new Map(metadata);
      if (metadata.some(([key, value]) => pairs.get(key) !== value)) return { drops: [], total: 0 };
      const { filter, hint } = matching(ownerId, pairs, clock.now());
      const direction = sortOrder === 'asc' ? 1 : -1;
      const { field, index, indexed } = orders[sortBy];
      const byCreation = { created_at: direction, _id: 1 } as const;
      const sort =
        sortBy === 'created_at' ? byCreation : ({ [field]: direction, created_at: -1, _id: 1 } as const);
      // In the order of an index only the documents of this page are read.
      const order = { sort, hint: pairs.size === 0 && sortOrder === indexed ? index : hint };
      const part = { skip: (page - 1) * limit, limit };
      if (words !== undefined) {
        // The driver's cursor: Mongoose's is slow (docs/performance.md).
        const options = { ...order, projection: textFields, batchSize: textsPerAnswer };
        return search(words, drops.collection.find<TextRow>(filter, options), part);
      }
      // One more than the page shows, all in the first answer: the default is 101.
      const options = { ...order, skip: part.skip, limit: limit + 1, batchSize: limit + 1 };
      const rows = part.skip > maxSkip ? [] : await drops.find(filter, dropFields, options).lean<DropRow[]>();
      const isLastPage = rows.length <= limit && (rows.length > 0 || page === 1);
      const total = isLastPage ? part.skip + rows.length : await count(ownerId, pairs);
      return { drops: rows.slice(0, limit).map(toDrop), total };
    },

    async listSlugs(owner) {
      const rows = await drops
        .find({ owner, place: { $gte: 0 }, $nor: [hasExpired(clock.now())] }, { slug: 1 })
        .setOptions({ sort: { created_at: 1, _id: 1 }, batchSize: 10_000, hint: 'drops_place' })
        .lean<Pick<DropDocument, 'slug'>[]>();
      return rows.map(({ slug }) => slug);
    },

    count: (ownerId) => count(ownerId, new Map()),

    async countTags(ownerId, limit) {
      const { filter, hint } = matching(ownerId, new Map(), clock.now());
      const counted = await drops.collection
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
        Array.from(readPairs([_id]), ([key, value]): TagCount => ({ key, value, count })),
      );
    },

    async listVersions(ownerId, slug) {
      const row = await drops
        .findOne(ownedAt(ownerId, slug, clock.now()), { versions: 1 })
        .lean<Pick<DropDocument, 'versions'>>();
      return row === null ? null : row.versions.map(toOwnedVersion).reverse();
    },

    async findVersion(ownerId, slug, number) {
      const fields = { title: 1, latest_version: 1, ...versionOrHead(number) };
      const row = await drops.findOne(ownedAt(ownerId, slug, clock.now()), fields).lean<PageRow>();
      const version = row?.head ?? row?.versions?.[0];
      if (row === null || version === undefined) return null;
      return { version: toOwnedVersion(version), title: row.title, latestVersion: row.latest_version };
    },

    async findPage(slug, number) {
      const row = await drops
        .findOne(liveDropAt(slug, clock.now()), { ...pageFields, ...versionOrHead(number) })
        .lean<PageRow>();
      return row === null ? null : toPage(row);
    },

    async findRevisions(slugs) {
      const rows = await drops
        .find(
          { slug: { $in: slugs }, deleted_at: null, $nor: [hasExpired(clock.now())] },
          { _id: 0, slug: 1, rev: 1 },
        )
        .setOptions({ batchSize: slugs.length + 1 })
        .lean<Pick<DropDocument, 'slug' | 'rev'>[]>();
      return new Map(rows.map(({ slug, rev }) => [slug, rev]));
    },
  };
}

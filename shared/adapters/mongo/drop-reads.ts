import type { Connection } from 'mongoose';
import type { DropStore } from '../../ports/drop-store.ts';
import {
  type DropDocument,
  type DropRow,
  dropFields,
  dropModel,
  type Filter,
  liveAt,
  ownedAt,
  type PageRow,
  pageFields,
  toDrop,
  toPage,
  toPairs,
  toVersion,
  versionField,
} from './drop-schema.ts';

/** The largest `skip` that every server accepts. No list is as long, so pages beyond it are empty. */
const maxSkip = 2 ** 31 - 1;

/** All live drops of the owner that have every pair, with the index to use. */
function matching(ownerId: string, pairs: ReadonlyMap<string, string>): { filter: Filter; hint: string } {
  if (pairs.size === 0) return { filter: { owner: ownerId, place: { $gte: 0 } }, hint: 'drops_place' };
  return { filter: { owner: ownerId, pairs: { $all: toPairs(pairs) } }, hint: 'drops_pairs' };
}

type DropReads = Pick<DropStore, 'find' | 'list' | 'count' | 'listVersions' | 'findVersion' | 'findPage'>;

/** Each method sends one command, `list` two in parallel. */
export function createDropReads(connection: Connection): DropReads {
  const drops = dropModel(connection);

  async function count(ownerId: string, pairs: ReadonlyMap<string, string>): Promise<number> {
    const { filter, hint } = matching(ownerId, pairs);
    return drops.countDocuments(filter, { hint });
  }

  return {
    async find(ownerId, slug) {
      const row = await drops.findOne(ownedAt(ownerId, slug), dropFields).lean<DropRow>();
      return row === null ? null : toDrop(row);
    },

    async list(ownerId, { page, pageSize: limit, sortBy, sortOrder, metadata }) {
      const pairs = new Map(metadata);
      if (metadata.some(([key, value]) => pairs.get(key) !== value)) return { drops: [], total: 0 };
      const { filter, hint } = matching(ownerId, pairs);
      const direction = sortOrder === 'asc' ? 1 : -1;
      const byCreation = { created_at: direction, _id: 1 } as const;
      const sort =
        sortBy === 'created_at' ? byCreation : ({ [sortBy]: direction, created_at: -1, _id: 1 } as const);
      // The newest first is the order of an index: only the documents of this page are read.
      const isIndexed = pairs.size === 0 && sortBy === 'created_at' && sortOrder === 'desc';
      const options = {
        sort,
        skip: (page - 1) * limit,
        limit,
        batchSize: limit, // all in the first answer: the default is 101
        hint: isIndexed ? 'drops_created' : hint,
      };
      const [total, rows] = await Promise.all([
        count(ownerId, pairs),
        options.skip > maxSkip ? [] : drops.find(filter, dropFields, options).lean<DropRow[]>(),
      ]);
      return { drops: rows.map(toDrop), total };
    },

    count: (ownerId) => count(ownerId, new Map()),

    async listVersions(ownerId, slug) {
      const row = await drops
        .findOne(ownedAt(ownerId, slug), { versions: 1 })
        .lean<Pick<DropDocument, 'versions'>>();
      return row === null ? null : row.versions.map(toVersion).reverse();
    },

    async findVersion(ownerId, slug, number) {
      const row = await drops
        .findOne(ownedAt(ownerId, slug), { latest_version: 1, ...versionField(number) })
        .lean<Pick<PageRow, 'latest_version' | 'versions'>>();
      const version = row?.versions?.[0];
      if (row === null || version === undefined) return null;
      return { version: toVersion(version), latestVersion: row.latest_version };
    },

    async findPage(slug, number) {
      const version = number === null ? { head: 1 } : versionField(number);
      const row = await drops.findOne(liveAt(slug), { ...pageFields, ...version }).lean<PageRow>();
      return row === null ? null : toPage(row);
    },
  };
}

import type { DropStore } from '../../ports/drop-store.ts';
import type { DropCommands } from './drop-commands.ts';
import { type DropRow, type PageRow, toDrop, toPage, toVersion } from './drop-documents.ts';
import { matching, ownDrop, pageAt, pageOf, versionOf } from './drop-queries.ts';
import type { DropDocument } from './drop-schema.ts';

type DropReads = Pick<DropStore, 'find' | 'list' | 'count' | 'listVersions' | 'findVersion' | 'findPage'>;

/** Each is one command, `list` two at once. */
export function createDropReads(drops: DropCommands): DropReads {
  return {
    async find(ownerId, slug) {
      const row = await drops.findOne<DropRow>(ownDrop(ownerId, slug));
      return row === null ? null : toDrop(row);
    },

    async list(ownerId, query) {
      const pairs = new Map(query.metadata);
      if (query.metadata.some(([key, value]) => pairs.get(key) !== value)) return { drops: [], total: 0 };
      const page = pageOf(ownerId, query, pairs);
      const [total, rows] = await Promise.all([
        drops.count(matching(ownerId, pairs)),
        page === null ? [] : drops.find<DropRow>(page),
      ]);
      return { drops: rows.map(toDrop), total };
    },

    count(ownerId) {
      return drops.count(matching(ownerId, new Map()));
    },

    async listVersions(ownerId, slug) {
      const query = ownDrop(ownerId, slug, { versions: 1 });
      const row = await drops.findOne<Pick<DropDocument, 'versions'>>(query);
      return row === null ? null : row.versions.map(toVersion).reverse();
    },

    async findVersion(ownerId, slug, number) {
      const query = ownDrop(ownerId, slug, { latest_version: 1, ...versionOf(number) });
      const row = await drops.findOne<FoundVersion>(query);
      const version = row?.versions?.[0];
      return row === null || version === undefined
        ? null
        : { version: toVersion(version), latestVersion: row.latest_version };
    },

    async findPage(slug, number) {
      const row = await drops.findOne<PageRow>(pageAt(slug, number));
      return row === null ? null : toPage(row);
    },
  };
}

/** Without `versions` where none matched. */
type FoundVersion = Pick<DropDocument, 'latest_version'> & Partial<Pick<DropDocument, 'versions'>>;

import type { Page } from '../../domain/drop.ts';
import type { DropStore } from '../../ports/drop-store.ts';
import type { Database } from './database.ts';
import { createDropList } from './drop-list.ts';
import { type DropRow, dropColumns, toDrop } from './drop-rows.ts';
import { createDropVersions } from './drop-versions.ts';
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

const live = 'owner_id = ? AND slug = ? AND deleted_at IS NULL';

type DropReads = Pick<DropStore, 'find' | 'list' | 'count' | 'listVersions' | 'findVersion' | 'findPage'>;

export function createDropReads(db: Database, memory: PageMemory): DropReads {
  const drops = createDropList(db);
  const versions = createDropVersions(db);
  const sql = {
    find: db.prepareTuples(`SELECT ${dropColumns} FROM drops WHERE ${live}`),
    findLatest: db.prepareTuples(`SELECT id, latest_version FROM drops WHERE ${live}`),
    findPage: db.prepareTuples(`SELECT ${pageColumns} FROM drops WHERE slug = ? AND deleted_at IS NULL`),
  };

  function findLatest(ownerId: string, slug: string): { dropId: string; latestVersion: number } | null {
    const row = sql.findLatest.get(ownerId, slug) as [string, number] | undefined; // proof: the columns selected
    return row === undefined ? null : { dropId: row[0], latestVersion: row[1] };
  }

  function readPage(slug: string, number: number | null): Page | null {
    const row = sql.findPage.get(slug) as PageRow | undefined; // proof: `pageColumns`
    if (row === undefined) return null;
    const latest = toPage(row);
    const isLatest = number === null || number === latest.latestVersion;
    const page = isLatest ? latest : { ...latest, version: versions.find(latest.dropId, number) };
    memory.keep(latest, number, page);
    return page;
  }

  return {
    async find(ownerId, slug) {
      const row = sql.find.get(ownerId, slug) as DropRow | undefined; // proof: `dropColumns`
      return row === undefined ? null : toDrop(row);
    },

    async list(ownerId, query) {
      return drops.list(ownerId, query);
    },

    async count(ownerId) {
      return drops.count(ownerId);
    },

    async listVersions(ownerId, slug) {
      const drop = findLatest(ownerId, slug);
      return drop === null ? null : versions.list(drop.dropId);
    },

    async findVersion(ownerId, slug, number) {
      const drop = findLatest(ownerId, slug);
      const version = drop === null ? null : versions.find(drop.dropId, number);
      if (drop === null || version === null) return null;
      return { version, latestVersion: drop.latestVersion };
    },

    findPage(slug, number) {
      return memory.recall(slug, number) ?? readPage(slug, number);
    },
  };
}

/** With the latest version. */
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

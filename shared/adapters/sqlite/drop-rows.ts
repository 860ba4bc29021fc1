import type { Drop, Metadata, PendingTask, Version } from '../../domain/drop.ts';

/** The columns of a drop, in the order of `DropRow`. */
export const dropColumns = `
  id, owner_id, slug, title, description, metadata, lock_id, latest_version, view_count, created_at, updated_at,
  rev, taken_down_at, takedown_reason`;

export type DropRow = [
  id: string,
  ownerId: string,
  slug: string,
  title: string,
  description: string | null,
  metadata: string,
  lockId: string | null,
  latestVersion: number,
  viewCount: number,
  createdAt: number,
  updatedAt: number,
  rev: number,
  takenDownAt: number | null,
  takedownReason: string | null,
];

export function toDrop(row: DropRow): Drop {
  const [id, ownerId, slug, title, description, metadata, lockId, latestVersion, ...rest] = row;
  const [viewCount, createdAt, updatedAt, rev, takenDownAt, reason] = rest;
  return {
    id,
    ownerId,
    slug,
    title,
    description,
    metadata: readMetadata(metadata),
    locked: lockId !== null,
    latestVersion,
    viewCount,
    createdAt,
    updatedAt,
    rev,
    takedown: takenDownAt === null || reason === null ? null : { at: takenDownAt, reason },
  };
}

/** The columns of a version, in the order of `VersionRow`. */
export const versionColumns = 'id, number, size_bytes, has_context, media_type, created_at';

export type VersionRow = [
  id: string,
  number: number,
  sizeBytes: number,
  hasContext: number,
  mediaType: string,
  createdAt: number,
];

export function toVersion([id, number, sizeBytes, hasContext, mediaType, createdAt]: VersionRow): Version {
  return { id, number, sizeBytes, hasContext: hasContext !== 0, mediaType, createdAt };
}

/** SQL: the assignments of every visible change; their values are `$now` and `taskValues`. */
export const changed = `
  changed_at = $now, rev = rev + 1,
  owed_render = owed_render OR $render, owed_purge = owed_purge OR $purge`;

export function taskValues(tasks: readonly PendingTask[]) {
  return { render: Number(tasks.includes('render')), purge: Number(tasks.includes('purge')) };
}

/** Pairs, because an object would put `7` before `b` and cannot have the key `__proto__`. */
export function writeMetadata(metadata: Metadata): string {
  return JSON.stringify([...metadata]);
}

function readMetadata(text: string): Metadata {
  return new Map(text === '[]' ? [] : (JSON.parse(text) as [string, string][])); // proof: see writeMetadata
}

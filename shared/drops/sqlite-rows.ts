import type { Drop, Lock, Metadata, NewDrop, OwnedVersion, PendingTask, Publisher, Version } from './drop.ts';

/** The columns of a drop, in the order of `DropRow`. */
export const dropColumns = `
  id, owner_id, slug, title, description, metadata, lock_id, latest_version, view_count, created_at, updated_at,
  rev, taken_down_at, takedown_reason, expires_at`;

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
  expiresAt: number | null,
];

export function toDrop(row: DropRow): Drop {
  const [id, ownerId, slug, title, description, metadata, lockId, latestVersion, ...rest] = row;
  const [viewCount, createdAt, updatedAt, rev, takenDownAt, reason, expiresAt] = rest;
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
    expiresAt,
  };
}

/** SQL: whether the drop is neither deleted nor expired. @param now the parameter with the time */
export function isLive(now: '?' | '$now'): string {
  return `deleted_at IS NULL AND (expires_at <= ${now}) IS NOT TRUE`;
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

/** The columns of a version as its owner may see it, in the order of `OwnedVersionRow`. */
export const ownedVersionColumns = `${versionColumns}, publisher_kind, publisher_id, publisher_label`;

export type OwnedVersionRow = [
  ...version: VersionRow,
  kind: Publisher['kind'] | null,
  publisherId: string | null,
  label: string | null,
];

export function toOwnedVersion([
  id,
  number,
  sizeBytes,
  hasContext,
  mediaType,
  createdAt,
  ...publisher
]: OwnedVersionRow): OwnedVersion {
  const [kind, publisherId, label] = publisher;
  const publishedBy = kind === null || publisherId === null ? null : { kind, id: publisherId, label };
  return { ...toVersion([id, number, sizeBytes, hasContext, mediaType, createdAt]), publishedBy };
}

/** SQL: stores a version. Values: its `number`, `versionValues`, `publisherValues`, and `id` and `ownerId` of its drop. */
export const insertVersionSql = `
  INSERT INTO drop_versions (drop_id, owner_id, number, id, size_bytes, has_context, media_type, created_at,
    publisher_kind, publisher_id, publisher_label)
  VALUES ($id, $ownerId, $number, $versionId, $sizeBytes, $hasContext, $mediaType, $createdAt,
    $publisherKind, $publisherId, $publisherLabel)`;

export function versionValues(version: Omit<Version, 'number'>) {
  const { id, sizeBytes, hasContext, mediaType, createdAt } = version;
  return { versionId: id, sizeBytes, hasContext: Number(hasContext), mediaType, createdAt };
}

export function publisherValues({ publishedBy }: Pick<OwnedVersion, 'publishedBy'>) {
  const { kind = null, id = null, label = null } = publishedBy ?? {};
  return { publisherKind: kind, publisherId: id, publisherLabel: label };
}

export function lockValues(lock: Lock | null) {
  return { lockId: lock?.id ?? null, lockHash: lock?.hash ?? null };
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

export function readMetadata(text: string): Metadata {
  const pairs: [string, string][] = text === '[]' ? [] : JSON.parse(text);
  return new Map(pairs);
}

/** The drop as it is after its first version is stored. */
export function firstOf({ version, lock, ...fields }: NewDrop): Drop {
  const { createdAt } = version;
  const counts = { latestVersion: 1, viewCount: 0, rev: 1 };
  return { ...fields, ...counts, locked: lock !== null, createdAt, updatedAt: createdAt, takedown: null };
}

export function toDropOrNull(row: DropRow | undefined): Drop | null {
  return row === undefined ? null : toDrop(row);
}

import type { Drop, Metadata, NewDrop, NewVersion, Page, PendingTask, Version } from '../../domain/drop.ts';
import type { Takedown } from '../../domain/moderation.ts';
import type { DropTasks } from '../../ports/pending-task-store.ts';
import type { DropDocument, VersionDocument } from './drop-schema.ts';

export const takedownFields = { taken_down_at: 1, takedown_reason: 1 } as const;

/** What a drop's owner sees of it. */
export const dropFields = {
  _id: 1,
  owner: 1,
  slug: 1,
  title: 1,
  description: 1,
  pairs: 1,
  'lock.id': 1,
  latest_version: 1,
  view_count: 1,
  created_at: 1,
  updated_at: 1,
  rev: 1,
  ...takedownFields,
} as const;

export type DropRow = Pick<DropDocument, Exclude<keyof typeof dropFields, 'lock.id'>> & {
  /** Servers leave it out, or show null, where there is no gate. */
  readonly lock?: { readonly id: string } | null;
};

export function toDrop(row: DropRow): Drop {
  return {
    id: row._id,
    ownerId: row.owner,
    slug: row.slug,
    title: row.title,
    description: row.description,
    metadata: readPairs(row.pairs),
    locked: row.lock?.id !== undefined,
    latestVersion: row.latest_version,
    viewCount: row.view_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    rev: row.rev,
    takedown: toTakedown(row),
  };
}

/** null: it is not taken down. */
export function toTakedown({
  taken_down_at,
  takedown_reason,
}: Pick<DropRow, keyof typeof takedownFields>): Takedown | null {
  if (typeof taken_down_at !== 'number') return null;
  return { at: taken_down_at, reason: takedown_reason ?? '' };
}

/** What the public reads, without the version. */
export const pageFields = {
  _id: 1,
  slug: 1,
  title: 1,
  description: 1,
  lock: 1,
  taken_down_at: 1,
  latest_version: 1,
} as const;

/** With the head, or with what matches a number: one version or none. */
export type PageRow = Pick<DropDocument, keyof typeof pageFields> &
  Partial<Pick<DropDocument, 'head' | 'versions'>>;

export function toPage(row: PageRow): Page {
  const version = row.head ?? row.versions?.[0];
  return {
    dropId: row._id,
    slug: row.slug,
    title: row.title,
    description: row.description,
    lock: row.lock === null ? null : { id: row.lock.id, hash: row.lock.hash },
    isTakenDown: typeof row.taken_down_at === 'number',
    latestVersion: row.latest_version,
    version: version === undefined ? null : toVersion(version),
  };
}

export function toVersion(version: VersionDocument): Version {
  return {
    id: version.id,
    number: version.number,
    sizeBytes: version.size_bytes,
    hasContext: version.has_context,
    mediaType: version.media_type,
    createdAt: version.created_at,
  };
}

/** The version as a drop holds it, but for its number. */
export function writeVersion(version: NewVersion): Omit<VersionDocument, 'number'> {
  return {
    id: version.id,
    size_bytes: version.sizeBytes,
    has_context: version.hasContext,
    media_type: version.mediaType,
    created_at: version.createdAt,
  };
}

/** The drop as it stands after its first write. */
export function toDocument(drop: NewDrop, place: number, tasks: readonly PendingTask[]): DropDocument {
  const { version, lock } = drop;
  const head = { ...writeVersion(version), number: 1 };
  const now = version.createdAt;
  return {
    _id: drop.id,
    owner: drop.ownerId,
    slug: drop.slug,
    title: drop.title,
    description: drop.description,
    pairs: writePairs(drop.metadata),
    lock: lock === null ? null : { id: lock.id, hash: lock.hash },
    latest_version: 1,
    version_count: 1,
    versions: [head],
    head,
    view_count: 0,
    views_batch: 0,
    place,
    created_at: now,
    updated_at: now,
    changed_at: now,
    rev: 1,
    due: [...tasks],
    trash: [],
    chores: tasks.length > 0,
    deleted_at: null,
  };
}

/** What the background wants of a drop. */
export const taskFields = {
  deleted_at: 1,
  rev: 1,
  due: 1,
  'versions.id': 1,
  'head.id': 1,
  trash: 1,
} as const;

export type TasksRow = Pick<DropDocument, '_id' | 'deleted_at' | 'rev' | 'due' | 'trash'> & {
  readonly versions: readonly Pick<VersionDocument, 'id'>[];
  readonly head: Pick<VersionDocument, 'id'>;
};

export type PositionRow = Pick<DropDocument, '_id' | 'changed_at'>;

export function toDropTasks(row: TasksRow): DropTasks {
  return {
    id: row._id,
    deleted: row.deleted_at !== null,
    rev: row.rev,
    tasks: row.due,
    versionIds: row.versions.map(({ id }) => id),
    headId: row.head.id,
    trash: row.trash,
  };
}

/** Keys hold no `=`: it is no character of theirs (spec section 2). Values may. */
export function writePairs(metadata: Metadata): string[] {
  return Array.from(metadata, writePair);
}

function writePair([key, value]: readonly [key: string, value: string]): string {
  return `${key}=${value}`;
}

function readPairs(pairs: readonly string[]): Metadata {
  return new Map(
    pairs.map((pair) => {
      const end = pair.indexOf('=');
      return [pair.slice(0, end), pair.slice(end + 1)];
    }),
  );
}

import { type Connection, Schema } from 'mongoose';
import type { Takedown } from '../moderation/act.ts';
import {
  type Drop,
  type Metadata,
  type NewDrop,
  type Page,
  type PendingTask,
  withoutDocument,
} from './drop.ts';
import { toVersion, type VersionDocument, versionDocument, versionSchema } from './mongo-version.ts';
import { foldText } from './search.ts';

/** A drop with all that changes with it. Times are Unix milliseconds. */
export interface DropDocument {
  readonly _id: string;
  readonly owner: string;
  readonly slug: string;
  readonly title: string;
  readonly description: string | null;
  /** Absent in documents of earlier releases. */
  readonly folded_title?: string;
  readonly folded_description?: string;
  /** The metadata as `key=value`, in the caller's order; empty once deleted, so that no filter finds the drop. */
  readonly pairs: readonly string[];
  readonly lock: { readonly id: string; readonly hash: string } | null;
  readonly latest_version: number;
  readonly version_count: number;
  /** By number, ascending. */
  readonly versions: readonly VersionDocument[];
  /** A copy of the last version: most reads need no other. */
  readonly head: VersionDocument;
  readonly view_count: number;
  /** The last batch of views that was added. */
  readonly views_batch: number;
  /** Number among the owner's live drops, below the cap and unique; absent once deleted. */
  readonly place?: number;
  readonly created_at: number;
  readonly updated_at: number;
  /** The last visible change, deletion included. */
  readonly changed_at: number;
  readonly rev: number;
  /** Pending tasks. `due` and `chores` keep the names of the first release. */
  readonly due: readonly PendingTask[];
  /** Ids of removed versions whose blobs still exist. */
  readonly trash: readonly string[];
  /** Whether the drop has pending tasks or trash, or is deleted: the condition of a partial index. */
  readonly chores: boolean;
  readonly deleted_at: number | null;
  /** Absent if it was never taken down; null if it was restored. */
  readonly taken_down_at?: number | null;
  readonly takedown_reason?: string | null;
  /** Absent if it does not expire, and once deleted. */
  readonly expires_at?: number;
}

const dropSchema = new Schema<DropDocument>(
  {
    _id: String,
    owner: String,
    slug: String,
    title: String,
    description: { type: String, default: null },
    folded_title: String,
    folded_description: String,
    pairs: [String],
    lock: { type: new Schema({ id: String, hash: String }, { _id: false, id: false }), default: null },
    latest_version: Number,
    version_count: Number,
    versions: [versionSchema],
    head: versionSchema,
    view_count: Number,
    views_batch: Number,
    place: Number,
    created_at: Number,
    updated_at: Number,
    changed_at: Number,
    rev: Number,
    due: [String],
    trash: [String],
    chores: Boolean,
    deleted_at: { type: Number, default: null },
    taken_down_at: Number,
    takedown_reason: String,
    expires_at: Number,
  },
  { collection: 'drops', id: false, versionKey: false, autoIndex: false, autoCreate: false },
);
const hasPlace = { place: { $exists: true } };
dropSchema.index({ slug: 1 }, { name: 'drops_slug', unique: true });
dropSchema.index(
  { owner: 1, place: 1 },
  { name: 'drops_place', unique: true, partialFilterExpression: hasPlace },
);
dropSchema.index({ owner: 1, pairs: 1 }, { name: 'drops_pairs' });
dropSchema.index({ owner: 1, created_at: -1, _id: 1 }, { name: 'drops_created' });
dropSchema.index({ owner: 1, updated_at: -1, created_at: -1, _id: 1 }, { name: 'drops_changed' });
dropSchema.index({ owner: 1, view_count: -1, created_at: -1, _id: 1 }, { name: 'drops_views' });
dropSchema.index(
  { changed_at: 1, _id: 1 },
  { name: 'drops_chores', partialFilterExpression: { chores: true } },
);
dropSchema.index(
  { expires_at: 1, owner: 1 },
  { name: 'drops_expiring', partialFilterExpression: { expires_at: { $exists: true } } },
);
dropSchema.index({ 'versions.id': 1 }, { name: 'drops_versions' });
dropSchema.index({ trash: 1 }, { name: 'drops_trash' });

export function dropModel(connection: Connection) {
  return connection.model('Drop', dropSchema);
}

export type Filter = Readonly<Record<string, unknown>>;

/** Never true of a drop without the field. @param now Unix ms */
export function hasExpired(now: number): Filter {
  return { expires_at: { $lte: now } };
}

/**
 * The live drop at the slug, if none of the conditions `unless` apply. No server uses an index for `$nor`: otherwise DocumentDB
 * would combine the slug's index with whole ranges of others.
 */
export function liveDropAt(slug: string, now: number, ...unless: readonly Filter[]): Filter {
  return { slug, deleted_at: null, $nor: [hasExpired(now), ...unless] };
}

export function ownedAt(ownerId: string, slug: string, now: number, ...unless: readonly Filter[]): Filter {
  return liveDropAt(slug, now, { owner: { $ne: ownerId } }, ...unless);
}

/** Projection of the version with that number; without `versions` if there is none. */
export function versionField(number: number): Filter {
  return { versions: { $elemMatch: { number } } };
}

/** Projection for `toDrop`. */
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
  taken_down_at: 1,
  takedown_reason: 1,
  expires_at: 1,
} as const;

export type DropRow = Pick<DropDocument, Exclude<keyof typeof dropFields, 'lock.id'>> & {
  /** A drop without a passcode: null or absent, depending on the server. */
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
    expiresAt: row.expires_at ?? null,
  };
}

export type TakedownRow = Pick<DropDocument, 'taken_down_at' | 'takedown_reason'>;

/** null: not taken down. */
function toTakedown({ taken_down_at, takedown_reason }: TakedownRow): Takedown | null {
  if (typeof taken_down_at !== 'number') return null;
  return { at: taken_down_at, reason: takedown_reason ?? '' };
}

/** Projection for `toPage`, without the version. */
export const pageFields = {
  _id: 1,
  owner: 1,
  slug: 1,
  title: 1,
  description: 1,
  lock: 1,
  taken_down_at: 1,
  created_at: 1,
  expires_at: 1,
  latest_version: 1,
  rev: 1,
} as const;

/** With the head, or with a list of at most one version. */
export type PageRow = Pick<DropDocument, keyof typeof pageFields> &
  Partial<Pick<DropDocument, 'head' | 'versions'>>;

export function toPage(row: PageRow): Page {
  const version = row.head ?? row.versions?.[0];
  return {
    dropId: row._id,
    ownerId: row.owner,
    slug: row.slug,
    title: row.title,
    description: row.description,
    lock: row.lock === null ? null : { id: row.lock.id, hash: row.lock.hash },
    isTakenDown: typeof row.taken_down_at === 'number',
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? null,
    latestVersion: row.latest_version,
    rev: row.rev,
    version: version === undefined ? null : toVersion(version),
  };
}

/** What a document of a live drop is made of. */
type LiveDrop = Pick<
  NewDrop,
  'id' | 'ownerId' | 'slug' | 'title' | 'description' | 'metadata' | 'lock' | 'expiresAt'
> &
  Pick<Drop, 'viewCount' | 'createdAt' | 'updatedAt' | 'rev'>;

/**
 * @param versions oldest first, at least one
 * @param place that no other live drop of the owner has
 */
export function liveDropDocument(
  drop: LiveDrop,
  versions: readonly VersionDocument[],
  place: number,
  tasks: readonly PendingTask[],
): DropDocument {
  const { lock } = drop;
  const head = versions.at(-1);
  if (head === undefined) throw new Error(`drops ${drop.id} has no version`);
  return {
    _id: drop.id,
    owner: drop.ownerId,
    slug: drop.slug,
    title: drop.title,
    description: drop.description,
    folded_title: foldText(drop.title),
    folded_description: foldText(drop.description),
    pairs: toPairs(drop.metadata),
    lock: lock === null ? null : { id: lock.id, hash: lock.hash },
    latest_version: head.number,
    version_count: versions.length,
    versions,
    head,
    view_count: drop.viewCount,
    views_batch: 0,
    place,
    created_at: drop.createdAt,
    updated_at: drop.updatedAt,
    changed_at: drop.updatedAt,
    rev: drop.rev,
    due: [...tasks],
    trash: [],
    chores: tasks.length > 0,
    deleted_at: null,
    ...(drop.expiresAt !== null && { expires_at: drop.expiresAt }),
  };
}

/** A new drop with its first version. */
export function dropDocument(drop: NewDrop, place: number, tasks: readonly PendingTask[]): DropDocument {
  const first = { ...versionDocument(withoutDocument(drop.version)), number: 1 };
  const { createdAt } = drop.version;
  const fresh = { ...drop, viewCount: 0, createdAt, updatedAt: createdAt, rev: 1 };
  return liveDropDocument(fresh, [first], place, tasks);
}

/** Keys contain no `=` (spec section 2), values may. */
export function toPairs(metadata: Metadata): string[] {
  return Array.from(metadata, ([key, value]) => `${key}=${value}`);
}

function readPairs(pairs: readonly string[]): Metadata {
  return new Map(
    pairs.map((pair) => {
      const end = pair.indexOf('=');
      return [pair.slice(0, end), pair.slice(end + 1)];
    }),
  );
}

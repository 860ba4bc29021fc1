import { type Connection, type Model, Schema } from 'mongoose';
import type { Takedown } from '../moderation/act.ts';
import { type DocumentOf, type FieldsOf, fieldsOf } from '../mongo/collection.ts';
import { accessLock, type Lock, passcodeLock, storedLock } from './access.ts';
import {
  type DetailChanges,
  type Drop,
  dropRecord,
  firstOf,
  type Metadata,
  type NewDrop,
  type OwnedVersion,
  ownedVersionRecord,
  type Page,
  type PendingTask,
  type Publisher,
  pageRecord,
  type Version,
  versionRecord,
  withoutDocument,
} from './drop.ts';
import { foldMetadata, foldText } from './search.ts';

/** A version in the document of its drop. */
export interface VersionDocument extends FieldsOf<typeof ownedVersionRecord> {
  /** Absent: published before this was stored. */
  readonly published_by?: Publisher;
}

type StoredFields = Omit<DocumentOf<typeof dropRecord>, 'owner_id'> & { readonly owner: string };

/** A drop with all that changes with it. Times are Unix milliseconds. `expires_at` is absent once deleted. */
export interface DropDocument extends StoredFields {
  /** Absent in documents of earlier releases. */
  readonly folded_title?: string;
  readonly folded_description?: string;
  readonly folded_metadata?: string;
  /** The metadata as `key=value`, in the caller's order; empty once deleted, so that no filter finds the drop. */
  readonly pairs: readonly string[];
  readonly lock: Lock | null;
  readonly version_count: number;
  /** By number, ascending. */
  readonly versions: readonly VersionDocument[];
  /** A copy of the last version: most reads need no other. */
  readonly head: VersionDocument;
  /** The last batch of views that was added. */
  readonly views_batch: number;
  /** Number among the owner's live drops, below the cap and unique; absent once deleted. */
  readonly place?: number;
  /** The last visible change, deletion included. */
  readonly changed_at: number;
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
}

const version = fieldsOf(ownedVersionRecord);
const pageVersion = fieldsOf(versionRecord);
const renamed = { id: '_id', ownerId: 'owner' };
const drop = fieldsOf<typeof dropRecord, StoredFields>(dropRecord, renamed);
const page = fieldsOf<typeof pageRecord, Omit<StoredFields, '_id' | 'view_count' | 'updated_at'>>(
  pageRecord,
  renamed,
);

const part = { _id: false, id: false } as const;
const publisherSchema = new Schema({ kind: String, id: String, label: String }, part);
const versionSchema = new Schema({ ...version.definition, published_by: publisherSchema }, part);

const dropSchema: Schema = new Schema(
  {
    ...drop.definition,
    folded_title: String,
    folded_description: String,
    folded_metadata: String,
    pairs: [String],
    lock: new Schema({ id: String, hash: String }, part),
    version_count: Number,
    versions: [versionSchema],
    head: versionSchema,
    views_batch: Number,
    place: Number,
    changed_at: Number,
    due: [String],
    trash: [String],
    chores: Boolean,
    deleted_at: Number,
    taken_down_at: Number,
    takedown_reason: String,
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
dropSchema.index({ owner: 1, folded_title: 1, created_at: -1, _id: 1 }, { name: 'drops_title' });
dropSchema.index(
  { changed_at: 1, _id: 1 },
  { name: 'drops_chores', partialFilterExpression: { chores: true } },
);
dropSchema.index(
  { expires_at: 1, owner: 1 },
  { name: 'drops_expiring', partialFilterExpression: { expires_at: { $exists: true } } },
);
dropSchema.index(
  { people: 1, _id: -1 },
  { name: 'drops_people', partialFilterExpression: { people: { $exists: true } } },
);
dropSchema.index({ 'versions.id': 1 }, { name: 'drops_versions' });
dropSchema.index({ trash: 1 }, { name: 'drops_trash' });

export function dropModel(connection: Connection): Model<DropDocument> {
  return connection.model('Drop', dropSchema) as unknown as Model<DropDocument>; // proof: it has the same fields
}

export type Filter = Readonly<Record<string, unknown>>;

/** Never true of a drop without the field. @param now Unix ms */
export function expiredBy(now: number): Filter {
  return { expires_at: { $lte: now } };
}

/** No server uses an index for `$nor`: DocumentDB would combine the slug's index with whole ranges of others. */
export function liveDropAt(slug: string, now: number, ...unless: readonly Filter[]): Filter {
  return { slug, deleted_at: null, $nor: [expiredBy(now), ...unless] };
}

export function ownedAt(ownerId: string, slug: string, now: number, ...unless: readonly Filter[]): Filter {
  return liveDropAt(slug, now, { owner: { $ne: ownerId } }, ...unless);
}

/** Projection of the version with that number; without `versions` if there is none. */
export function versionField(number: number): Filter {
  return { versions: { $elemMatch: { number } } };
}

/** Projection for `toDrop`. */
export const dropProjection = {
  ...drop.projection,
  pairs: 1,
  'lock.id': 1,
  taken_down_at: 1,
  takedown_reason: 1,
} as const;

export type DropRow = Pick<
  DropDocument,
  keyof StoredFields | 'pairs' | 'taken_down_at' | 'takedown_reason'
> & {
  /** A drop without a passcode: null or absent, depending on the server. */
  readonly lock?: { readonly id: string } | null;
};

export function toDrop(row: DropRow): Drop {
  const parts = {
    metadata: toMetadata(row.pairs),
    locked: row.lock?.id !== undefined && row.lock.id !== accessLock.id,
    takedown: toTakedown(row),
  };
  return drop.read(row, parts);
}

export function toDropOrNull(row: DropRow | null): Drop | null {
  return row === null ? null : toDrop(row);
}

/** null: not taken down. */
function toTakedown({ taken_down_at, takedown_reason }: DropRow): Takedown | null {
  if (typeof taken_down_at !== 'number') return null;
  return { at: taken_down_at, reason: takedown_reason ?? '' };
}

/** Projection for `toPage`, without the version. */
export const pageFields = { ...page.projection, _id: 1, lock: 1, taken_down_at: 1 } as const;

/** With the head, or with a list of at most one version. */
export type PageRow = Pick<DropDocument, keyof StoredFields | 'lock' | 'taken_down_at'> &
  Partial<Pick<DropDocument, 'head' | 'versions'>>;

export function toPage(row: PageRow): Page {
  const { _id: dropId, lock, taken_down_at, head = row.versions?.[0] } = row;
  return page.read(row, {
    dropId,
    lock: lock === null ? null : passcodeLock({ id: lock.id, hash: lock.hash }),
    isTakenDown: typeof taken_down_at === 'number',
    version: head === undefined ? null : toVersion(head),
  });
}

function toVersion(document: VersionDocument): Version {
  return pageVersion.read(document, {});
}

export function toOwnedVersion(document: VersionDocument): OwnedVersion {
  return version.read(document, { publishedBy: document.published_by ?? null });
}

export function versionDocument(stored: OwnedVersion): VersionDocument {
  const { publishedBy } = stored;
  return { ...version.write(stored), ...(publishedBy !== null && { published_by: publishedBy }) };
}

/** @param parts.versions oldest first, at least one @param parts.place that no other live drop of the owner has */
export function liveDropDocument(
  stored: Drop,
  parts: {
    readonly lock: Lock | null;
    readonly versions: readonly OwnedVersion[];
    readonly place: number;
    readonly tasks: readonly PendingTask[];
  },
): DropDocument {
  const { place, tasks } = parts;
  const lock = storedLock(parts.lock, stored.access);
  const versions = parts.versions.map(versionDocument);
  const head = versions.at(-1);
  if (head === undefined) throw new Error(`drops ${stored.id} has no version`);
  const { metadata, takedown } = stored;
  return {
    ...drop.write(stored),
    ...foldedFields(stored),
    pairs: toPairs(metadata),
    lock: lock === null ? null : { id: lock.id, hash: lock.hash },
    version_count: versions.length,
    versions,
    head,
    views_batch: 0,
    place,
    changed_at: stored.updatedAt,
    due: [...tasks],
    trash: [],
    chores: tasks.length > 0,
    deleted_at: null,
    ...(takedown !== null && { taken_down_at: takedown.at, takedown_reason: takedown.reason }),
  };
}

export function dropDocument(made: NewDrop, place: number, tasks: readonly PendingTask[]): DropDocument {
  const versions = [withoutDocument(made.version, 1)];
  return liveDropDocument(firstOf(made), { lock: made.lock, versions, place, tasks });
}

/** Of the texts that are given. */
export function foldedFields({ title, description, metadata }: DetailChanges) {
  return {
    ...(title !== undefined && { folded_title: foldText(title) }),
    ...(description !== undefined && { folded_description: foldText(description) }),
    ...(metadata !== undefined && { folded_metadata: foldMetadata(metadata) }),
  };
}

/** Keys contain no `=` (spec section 2), values may. */
export function toPairs(metadata: Metadata): string[] {
  return Array.from(metadata, ([key, value]) => `${key}=${value}`);
}

export function toMetadata(pairs: readonly string[]): Metadata {
  return new Map(
    pairs.map((pair) => {
      const end = pair.indexOf('=');
      return [pair.slice(0, end), pair.slice(end + 1)];
    }),
  );
}

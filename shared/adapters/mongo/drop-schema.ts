import { type Connection, Schema } from 'mongoose';
import type { PendingTask } from '../../domain/drop.ts';

export interface VersionDocument {
  readonly id: string;
  readonly number: number;
  readonly size_bytes: number;
  readonly has_context: boolean;
  readonly media_type: string;
  readonly created_at: number;
}

/** A drop, whole: its versions, its gate and its pending tasks change together. Times are Unix milliseconds. */
export interface DropDocument {
  readonly _id: string;
  readonly owner: string;
  readonly slug: string;
  readonly title: string;
  readonly description: string | null;
  /** The metadata, as `key=value` in the caller's order; none once deleted, so that no filter finds it. */
  readonly pairs: readonly string[];
  readonly lock: { readonly id: string; readonly hash: string } | null;
  readonly latest_version: number;
  readonly version_count: number;
  /** By number, ascending. */
  readonly versions: readonly VersionDocument[];
  /** The last of the versions, once more: what is shown most is read without the list. */
  readonly head: VersionDocument;
  readonly view_count: number;
  /** The last batch of views that was added. */
  readonly views_batch: number;
  /** Among its owner's live drops, below the cap; absent once deleted. */
  readonly place?: number;
  readonly created_at: number;
  readonly updated_at: number;
  /** The last visible change, deletion included. */
  readonly changed_at: number;
  readonly rev: number;
  /** Pending tasks. Like `chores`, it keeps the name of the first release: processes of both may run side by side. */
  readonly due: readonly PendingTask[];
  /** Ids of removed versions whose blobs are still there. */
  readonly trash: readonly string[];
  /** Whether the drop has pending tasks or trash, or is deleted: the condition of a partial index. */
  readonly chores: boolean;
  readonly deleted_at: number | null;
  /** Absent where it was never taken down; otherwise null or the time, like the reason. */
  readonly taken_down_at?: number | null;
  readonly takedown_reason?: string | null;
}

const text = { type: String, required: true };
const textOrEmpty = { type: String, default: null }; // `required` would refuse ''
const integer = { type: Number, required: true };
const flag = { type: Boolean, required: true };

const versionSchema = new Schema<VersionDocument>(
  {
    id: text,
    number: integer,
    size_bytes: integer,
    has_context: flag,
    media_type: text,
    created_at: integer,
  },
  { _id: false, id: false },
);

const lockSchema = new Schema({ id: text, hash: text }, { _id: false, id: false });

/** The indexes that the queries count on; whoever changes one looks at `drop-queries.ts`. */
export const dropIndexes = {
  slug: 'drops_slug',
  place: 'drops_place',
  pairs: 'drops_pairs',
  created: 'drops_created',
  chores: 'drops_chores',
  versions: 'drops_versions',
  trash: 'drops_trash',
} as const;

const dropSchema = new Schema<DropDocument>(
  {
    _id: text,
    owner: text,
    slug: text,
    title: text,
    description: textOrEmpty,
    pairs: [String],
    lock: { type: lockSchema, default: null },
    latest_version: integer,
    version_count: integer,
    versions: [versionSchema],
    head: { type: versionSchema, required: true },
    view_count: integer,
    views_batch: integer,
    place: Number,
    created_at: integer,
    updated_at: integer,
    changed_at: integer,
    rev: integer,
    due: [String],
    trash: [String],
    chores: flag,
    deleted_at: { type: Number, default: null },
    taken_down_at: Number,
    takedown_reason: String,
  },
  { collection: 'drops', id: false, versionKey: false, autoIndex: false, autoCreate: false },
);

dropSchema.index({ slug: 1 }, { name: dropIndexes.slug, unique: true });
dropSchema.index(
  { owner: 1, place: 1 },
  { name: dropIndexes.place, unique: true, partialFilterExpression: { place: { $exists: true } } },
);
dropSchema.index({ owner: 1, pairs: 1 }, { name: dropIndexes.pairs });
dropSchema.index({ owner: 1, created_at: -1, _id: 1 }, { name: dropIndexes.created });
dropSchema.index(
  { changed_at: 1, _id: 1 },
  { name: dropIndexes.chores, partialFilterExpression: { chores: true } },
);
dropSchema.index({ 'versions.id': 1 }, { name: dropIndexes.versions });
dropSchema.index({ trash: 1 }, { name: dropIndexes.trash });

/** Of that connection; the same one at every call. */
export function dropModel(connection: Connection) {
  return connection.model('Drop', dropSchema);
}

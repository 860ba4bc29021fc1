import type { DailyQuota } from '../accounts/account.ts';
import { commentersField } from '../comments/comment.ts';
import {
  addedLater,
  flag,
  id,
  orAbsent,
  orNull,
  type RecordOf,
  record,
  sha256,
  slug,
  text,
  time,
  whole,
} from '../domain/record.ts';
import type { Takedown } from '../moderation/act.ts';
import { accessField, type Lock, peopleField } from './access.ts';

/** The tags of a drop, in the order of the request. `__proto__` is a legal key. */
export type Metadata = ReadonlyMap<string, string>;

/** Spec section 2. Both cases are listed, because with `/iu` U+212A and U+017F would match as letters. */
export const metadataKeyPattern = /^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$/;

export function isMetadataKey(text: string, maxLength: number): boolean {
  return text.length <= maxLength && metadataKeyPattern.test(text);
}

/** The only media type that can be posted. */
export const htmlMediaType = 'text/html';

/** One version of a drop, a part of the drop's record. Its HTML and context are stored as blobs under `id`. */
export const versionRecord = record(
  'drop_versions',
  {
    /** Never used again. After the latest version is deleted, the next version has its number. */
    id: id(),
    /** Starts at 1; `latest_version + 1` for a new one. */
    number: whole(1),
    /** UTF-8 bytes of the HTML as uploaded. */
    sizeBytes: whole(),
    hasContext: flag(),
    mediaType: text(),
    createdAt: time(),
  },
  [],
);

export type Version = RecordOf<typeof versionRecord>;

/** The token or session that published a version. */
export interface Publisher {
  readonly kind: 'token' | 'session';
  /** The token or session may have been revoked since. */
  readonly id: string;
  /** The label that it had then. */
  readonly label: string | null;
}

/** `versionRecord`, and what only its owner is shown. */
export const ownedVersionRecord = record(
  'drop_versions',
  {
    ...versionRecord.fields,
    /** Of the HTML as uploaded, in hex. null: published before this was stored. */
    sha256: addedLater(orAbsent(sha256()), null),
  },
  [],
);

/** A version as only the owner of its drop may see it. */
export interface OwnedVersion extends RecordOf<typeof ownedVersionRecord> {
  /** null: published before this was stored. */
  readonly publishedBy: Publisher | null;
}

/** A version, and what its drop says of it. */
export interface FoundVersion extends Pick<Drop, 'title' | 'latestVersion'> {
  readonly version: OwnedVersion;
}

/** What the owner sets and changes, with the metadata. Stores loop over it; a reader of requests that lacks a field does not compile. */
export const detailRecord = record(
  'drops',
  {
    title: text(),
    description: orNull(text()),
    /** Unix ms: from then on the drop is deleted. null: never. */
    expiresAt: orAbsent(time()),
    /** Who may write comments. */
    comments: commentersField,
    access: accessField,
    people: peopleField,
  },
  [],
);

export interface Details extends RecordOf<typeof detailRecord> {
  readonly metadata: Metadata;
}

/** Absent fields stay as they are; null removes a value; `metadata` replaces the whole map. */
export type DetailChanges = Partial<Details>;

/** The fields of a drop that both engines store as they are. */
export const dropRecord = record('drops', {
  id: id(),
  ownerId: id(),
  slug: slug(),
  ...detailRecord.fields,
  latestVersion: whole(1),
  viewCount: whole(),
  createdAt: time(),
  updatedAt: time(),
  /** Incremented by every visible change. */
  rev: whole(1),
});

/** A drop as its owner sees it, without the list of versions. */
export interface Drop extends RecordOf<typeof dropRecord>, Details {
  /** Whether it has a passcode. */
  readonly locked: boolean;
  /** null: not taken down. */
  readonly takedown: Takedown | null;
}

const { ownerId, title, description, latestVersion, createdAt, rev, expiresAt, comments, access, people } =
  dropRecord.fields;

/** The fields of a drop that its page has, too. */
export const pageRecord = record(
  'drops',
  {
    ownerId,
    slug: slug(),
    title,
    description,
    latestVersion,
    createdAt,
    rev,
    expiresAt,
    comments,
    access,
    people,
  },
  [],
);

/**
 * A public page: a drop and one of its versions, without metadata, which only the owner may see (spec section 2). Of two reads
 * of a page, the one with the higher `rev` is newer.
 */
export interface Page extends RecordOf<typeof pageRecord> {
  readonly dropId: string;
  /** null: no passcode. */
  readonly lock: Lock | null;
  readonly isTakenDown: boolean;
  /** null: the drop has no version with the requested number. Only viewers who passed the passcode may learn this. */
  readonly version: Version | null;
}

export type PageWithVersion = Page & { readonly version: Version };

export function hasVersion(page: Page): page is PageWithVersion {
  return page.version !== null;
}

/** Work for a job after a change, recorded by the update that makes the change. */
export type PendingTask = 'render' | 'purge';

/** A document as posted, in UTF-8. */
export interface Document {
  readonly html: Uint8Array;
  /** null: none. */
  readonly context: Uint8Array | null;
}

/** A version to store with its document. The store assigns the number. */
export interface NewVersion
  extends Document,
    Pick<OwnedVersion, 'id' | 'mediaType' | 'createdAt' | 'publishedBy' | 'sha256'> {
  /** Whether another attempt to store this version may be under way, or done. */
  readonly isRepeat?: boolean;
  /** What storing it counts for; absent: for no day. */
  readonly quota?: DailyQuota;
}

/** What is stored of the version beside its document. */
export function withoutDocument(version: NewVersion, number: number): OwnedVersion {
  const { id, html, context, mediaType, createdAt, publishedBy, sha256 } = version;
  const measures = { sizeBytes: html.byteLength, hasContext: context !== null };
  return { id, number, ...measures, mediaType, createdAt, publishedBy, sha256 };
}

/** Whether a store has stored a version: otherwise it returns why not. */
export function isStored(outcome: object | string | null): outcome is Drop {
  return outcome !== null && typeof outcome === 'object' && 'slug' in outcome;
}

/** The ids of a write that its client may repeat (idempotency/idempotency.ts). */
export interface WriteIds {
  /** The id of the new drop; a new version of a drop does not use it. */
  readonly dropId: string;
  readonly slug: string;
  readonly versionId: string;
  /** See `NewVersion`. */
  readonly isRepeat: boolean;
}

export interface NewDrop extends Pick<Drop, 'id' | 'ownerId' | 'slug'>, Details {
  readonly lock: Lock | null;
  readonly version: NewVersion;
}

/** The drop as it is after its first version is stored. */
export function firstOf({ version, lock, ...fields }: NewDrop): Drop {
  const { createdAt } = version;
  const counts = { latestVersion: 1, viewCount: 0, rev: 1 };
  return { ...fields, ...counts, locked: lock !== null, createdAt, updatedAt: createdAt, takedown: null };
}

export function isChanged(
  drop: Drop,
  { metadata = drop.metadata, people = drop.people, ...others }: DetailChanges,
): boolean {
  const stored = new Map<string, unknown>(Object.entries(drop));
  const isOther = Object.entries(others).some(([name, value]) => value !== stored.get(name));
  return isOther || !isSameMetadata(metadata, drop.metadata) || !isSameList(people, drop.people);
}

function isSameList(one: Drop['people'], other: Drop['people']): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** In any order. */
function isSameMetadata(one: Metadata, other: Metadata): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value);
}

/** @param now Unix ms */
export function hasExpired({ expiresAt }: Pick<Drop, 'expiresAt'>, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** Every public answer about a drop has this tag, and a purge of the edge names it. */
export function edgeTag(dropId: string): string {
  return `drop-${dropId}`;
}

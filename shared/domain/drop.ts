import type { Metadata } from './metadata.ts';
import type { Takedown } from './moderation.ts';

/** The only kind of document that can be posted today; a field of each version so that others can come. */
export const htmlMediaType = 'text/html';

/** One version as the drop's own list holds it. The HTML and the context live outside, under `id`. */
export interface Version {
  /** Inner id: names this content for ever, also where its number is used again. */
  readonly id: string;
  /** Starts at 1; `latest_version + 1` for a new one. */
  readonly number: number;
  /** UTF-8 bytes of the HTML as uploaded. */
  readonly sizeBytes: number;
  readonly hasContext: boolean;
  readonly mediaType: string;
  readonly createdAt: number;
}

/** The soft gate before a drop. `id` changes with every passcode, so that what the old one opened closes. */
export interface Lock {
  readonly id: string;
  /** argon2id, encoded. */
  readonly hash: string;
}

/** A drop as its owner sees it, without its list of versions. */
export interface Drop {
  readonly id: string;
  readonly ownerId: string;
  readonly slug: string;
  readonly title: string;
  readonly description: string | null;
  readonly metadata: Metadata;
  readonly locked: boolean;
  readonly latestVersion: number;
  readonly viewCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Raised by every visible change. */
  readonly rev: number;
  /** null: it is not taken down. */
  readonly takedown: Takedown | null;
}

/** What stands at a public address: one drop and one of its versions. Holds no metadata (spec section 2). */
export interface Page {
  readonly dropId: string;
  readonly slug: string;
  readonly title: string;
  readonly description: string | null;
  readonly lock: Lock | null;
  /** Nothing of it is shown to anybody. */
  readonly isTakenDown: boolean;
  readonly latestVersion: number;
  /** null: the drop has no version of the number that was asked for, which only who passes the gate may know. */
  readonly version: Version | null;
}

/** A page with something to show. */
export type ShownPage = Page & { readonly version: Version };

/** Work for a job after a change of a drop. The update that makes the change records it. */
export type PendingTask = 'render' | 'purge';

export interface NewVersion {
  readonly id: string;
  readonly sizeBytes: number;
  readonly hasContext: boolean;
  readonly mediaType: string;
  readonly createdAt: number;
}

export interface NewDrop {
  readonly id: string;
  readonly ownerId: string;
  readonly slug: string;
  readonly title: string;
  readonly description: string | null;
  readonly metadata: Metadata;
  readonly lock: Lock | null;
  readonly version: NewVersion;
}

/** A change of what the owner wrote about a drop. An absent field stays as it is. */
export interface DetailChanges {
  readonly title?: string;
  /** null clears. */
  readonly description?: string | null;
  /** Replaces the whole map. */
  readonly metadata?: Metadata;
}

export const sortFields = ['created_at', 'updated_at', 'view_count'] as const;
export const sortOrders = ['asc', 'desc'] as const;

/** A page of the owner's list. Ties go by newest creation, then by id. */
export interface DropQuery {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
  readonly sortBy: (typeof sortFields)[number];
  readonly sortOrder: (typeof sortOrders)[number];
  /** All must hold. The same key twice with two values matches nothing. */
  readonly metadata: readonly (readonly [key: string, value: string])[];
}

/** The tag that every public answer about a drop carries, and by which the edge forgets them. */
export function edgeTag(dropId: string): string {
  return `drop-${dropId}`;
}

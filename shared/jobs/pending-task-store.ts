import type { PendingTask, Version } from '../drops/drop.ts';

/** A drop, live or deleted, as jobs need it. */
export interface PendingDrop {
  readonly id: string;
  readonly ownerId: string;
  readonly deleted: boolean;
  readonly rev: number;
  readonly pending: readonly PendingTask[];
  /** Oldest first. */
  readonly versions: readonly Pick<Version, 'id' | 'hasContext'>[];
  readonly latestVersionId: string;
  /** Ids of removed versions whose blobs still exist. */
  readonly trash: readonly string[];
}

export interface PendingRender extends PendingDrop {
  /** The newest renderer of each version's artefacts; no entry: it has none. */
  readonly renderers: ReadonlyMap<string, number>;
}

/** Position of a drop in `listPending`. */
export interface PendingPosition {
  /** When it last changed, Unix ms. */
  readonly changedAt: number;
  readonly id: string;
}

/** The records of DropStore as the worker uses them: pending tasks and cleanup. */
export interface PendingTaskStore {
  /** null: there is no record, or its removal is complete. */
  find(dropId: string): Promise<PendingDrop | null>;

  /** With the artefacts of this renderer and earlier ones; in one query. */
  findForRender(dropId: string, renderer: number): Promise<PendingRender | null>;

  /**
   * Drops that have pending tasks or trash, or are deleted, and whose last change is older than `before` (Unix ms), by
   * `changedAt` and `id`: those after `after` (null: from the start), at most `limit`.
   */
  listPending(before: number, after: PendingPosition | null, limit: number): Promise<PendingPosition[]>;

  /**
   * Removes drops that have expired by `now` (Unix ms) as DropStore.remove does, each by an update of its own, the longest
   * expired first, at most `limit`. Returns the ids of at least those that this call has removed.
   */
  removeExpired(now: number, limit: number): Promise<string[]>;

  /** false: the drop has changed since `rev`, and the task stays. */
  clearTask(dropId: string, task: PendingTask, rev: number): Promise<boolean>;

  /** Call it after the blobs of these ids are removed. */
  clearTrash(dropId: string, versionIds: readonly string[]): Promise<void>;

  /** The last step of a removal: deletes the records of a deleted drop, its own last. Does nothing to a live drop. */
  erase(dropId: string): Promise<void>;

  /** Those of the ids of which there is a record, live or deleted. */
  findExisting(dropIds: readonly string[]): Promise<Set<string>>;

  /** Those of the ids that a drop, live or deleted, has as a version or in its trash; during an import (ArchiveStore): all. */
  findReferenced(versionIds: readonly string[]): Promise<Set<string>>;
}

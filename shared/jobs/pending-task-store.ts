import type { PendingTask, Version } from '../drops/drop.ts';

/** A drop, live or deleted, with its pending tasks and the ids that the jobs need. */
export interface DropTasks {
  readonly id: string;
  readonly ownerId: string;
  readonly deleted: boolean;
  readonly rev: number;
  readonly tasks: readonly PendingTask[];
  /** Oldest first. */
  readonly versions: readonly Pick<Version, 'id' | 'hasContext'>[];
  readonly latestVersionId: string;
  /** Ids of removed versions whose blobs still exist. */
  readonly trash: readonly string[];
}

/** The same with the artefacts of its versions. */
export interface RenderTasks extends DropTasks {
  /** By version: the newest renderer of its artefacts. A version without an entry has none. */
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
  find(dropId: string): Promise<DropTasks | null>;

  /** With the artefacts of this renderer and earlier ones; in one query. */
  findForRender(dropId: string, renderer: number): Promise<RenderTasks | null>;

  /**
   * Drops that have pending tasks or trash, or are deleted, and whose last change is older than `before` (Unix ms).
   * Ordered by (`changedAt`, `id`): those after `after` (null: from the start), at most `limit`. Uses a partial index.
   */
  listPending(before: number, after: PendingPosition | null, limit: number): Promise<PendingPosition[]>;

  /**
   * Removes drops that have expired by `now` (Unix ms), at most `limit`, the longest expired first, as DropStore.remove
   * does. Each is removed by an update of its own, if it is still expired then. Returns the ids of at least those that
   * this call has removed; of parallel calls several may return the same.
   */
  removeExpired(now: number, limit: number): Promise<string[]>;

  /** Removes the task from the pending ones if the drop is still at `rev`. false: it has changed since. */
  clearTask(dropId: string, task: PendingTask, rev: number): Promise<boolean>;

  /** Removes these ids from the trash; call it after their blobs are removed. */
  clearTrash(dropId: string, versionIds: readonly string[]): Promise<void>;

  /**
   * The last step of a removal: deletes the records of a deleted drop, the drop's own record last, so that an interrupted
   * removal is found and repeated. Does nothing if the drop is not deleted.
   */
  erase(dropId: string): Promise<void>;

  /** Returns those of the given ids of which there is a record, live or deleted. */
  findExisting(dropIds: readonly string[]): Promise<Set<string>>;

  /**
   * Returns those of the given ids that some drop, live or deleted, has as a version or in its trash. While an import is
   * unfinished (ArchiveStore): all of them, because it writes blobs before the records that name them.
   */
  findReferenced(versionIds: readonly string[]): Promise<Set<string>>;
}

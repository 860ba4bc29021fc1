import type { Takedown } from '../moderation/act.ts';
import type { Lock } from './access.ts';
import type {
  DetailChanges,
  Drop,
  FoundVersion,
  NewDrop,
  NewVersion,
  OwnedVersion,
  Page,
  PendingTask,
} from './drop.ts';
import type { DropQuery, TagCount } from './drop-query.ts';
import type { Conflict, DropTarget } from './revision.ts';

export type RemovedDrop = Pick<Drop, 'id' | 'slug'>;

/**
 * Why a change changed nothing, the first that applies: no such drop, its takedown, the conflict of its revision.
 * `Refusal` adds the reasons that only certain changes have, such as a reached cap.
 */
export type Rejected = null | Takedown | Conflict;

/** What is read of drops. */
export interface DropReads {
  /** null: no such drop of this owner. */
  find(ownerId: string, slug: string): Promise<Drop | null>;

  /** A page of the owner's drops, and the number of drops that match. Reads no lists of versions. */
  list(ownerId: string, query: DropQuery): Promise<{ drops: Drop[]; total: number }>;

  /** The slugs of the owner's live drops, oldest first. */
  listSlugs(ownerId: string): Promise<string[]>;

  /** Number of the owner's live drops. */
  count(ownerId: string): Promise<number>;

  /** The tags of the owner's live drops, the most frequent first, then by `key=value`; at most `limit`. */
  countTags(ownerId: string, limit: number): Promise<TagCount[]>;

  /**
   * Live drops on whose list one of these people stands, the newest first, by an index; without those that are taken down or belong
   * to `exceptOwner`. @param after the id of the last one of the list before; null: from the first
   */
  listShared(
    people: readonly string[],
    part: { readonly exceptOwner: string; readonly after: string | null; readonly limit: number },
  ): Promise<Drop[]>;

  /** Newest first; null: no such drop. */
  listVersions(ownerId: string, slug: string): Promise<OwnedVersion[] | null>;

  /** @param number null: the latest @returns null: no such drop, or no such version of it */
  findVersion(ownerId: string, slug: string, number: number | null): Promise<FoundVersion | null>;

  /**
   * What the public reads at the slug: the latest version, or that of the number (`version` null: there is none). null: no such
   * drop. A store that reads synchronously returns or throws without a promise.
   * @throws DropError `unavailable`; `isDown`: the database gave no answer at all
   */
  findPage(slug: string, number: number | null): Page | null | Promise<Page | null>;

  /** The revision (`Page.rev`) of each slug that has a drop. */
  findRevisions(slugs: readonly string[]): Promise<Map<string, number>>;
}

/**
 * Drops for owners and readers. A drop and its versions are one record: each change is one atomic, conditional update, which
 * raises `rev` and adds `tasks` to the pending tasks (PendingTaskStore). Every change requires a revision that its target
 * accepts and, except `remove`, that the drop is not taken down. A deleted or expired drop (by the clock of the process) is
 * absent in every method.
 */
export interface DropStore extends DropReads {
  /**
   * Stores the drop with its first version (see `addVersion`). A repeat with the same id returns the stored drop.
   * `no_place`: the owner has `cap` live drops, after expired ones were removed; `slug_taken`: another drop has the slug.
   * Parallel creates never pass the cap, unless it was lowered.
   */
  create(
    drop: NewDrop,
    cap: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | 'day_full' | 'no_place' | 'slug_taken'>;

  /**
   * Stores the document as blobs under the version's id, then adds the next version and applies the changes in one update.
   * Parallel calls get numbers of their own. A repeat with the same version id changes nothing and returns the drop.
   * `version_limit`: the drop has `cap` versions; `day_full`, before every other refusal: the day of the version's `quota` is
   * full, or its account deleted. Parallel calls pass neither. A stored version counts once; a repeat, or a call that throws, may
   * count again. A write of an earlier day counts for the latest day that has begun.
   * After an error the version may exist, or only its blobs. A refused version leaves blobs only if another attempt may be storing
   * it: with `isRepeat`, or after a long call.
   */
  addVersion(
    target: DropTarget,
    version: NewVersion,
    changes: DetailChanges,
    cap: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | Rejected | 'day_full' | 'version_limit'>;

  /** Sets `updatedAt` to `now`. */
  changeDetails(
    target: DropTarget,
    changes: DetailChanges,
    now: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | Rejected>;

  /** Sets the lock, and `updatedAt` to `now`. @param lock null removes it */
  setLock(
    target: DropTarget,
    lock: Lock | null,
    now: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | Rejected>;

  /** Trashes the version and recomputes `latestVersion`. `last_version`: it is the only one, also for parallel calls. */
  removeVersion(
    target: DropTarget,
    number: number,
    now: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | Rejected | 'no_version' | 'last_version'>;

  /** Marks the drop as deleted, and frees its place below the cap. Returns its id; null: no such drop. */
  remove(target: DropTarget, now: number): Promise<string | Conflict | null>;

  /**
   * Removes live and expired drops of the owner as `remove` does, each by an update of its own, at most `limit`. Returns at
   * least those that this call has removed; parallel calls may return the same. Empty: the owner has none.
   */
  removeSome(ownerId: string, now: number, limit: number): Promise<RemovedDrop[]>;
}

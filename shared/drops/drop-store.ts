import type { Takedown } from '../moderation/act.ts';
import type {
  DetailChanges,
  Drop,
  DropQuery,
  Lock,
  NewDrop,
  NewVersion,
  OwnedVersion,
  Page,
  PendingTask,
} from './drop.ts';
import type { Conflict, DropTarget } from './revision.ts';

export type RemovedDrop = Pick<Drop, 'id' | 'slug'>;

/**
 * Drops for owners and readers. A drop and its versions change as one record: each change is one atomic,
 * conditional update. A deleted drop is absent in every method once `remove` has returned, and a drop with `expiresAt` from
 * that time on, by the clock of the process.
 *
 * A visible change raises `rev` and adds `tasks` to the pending tasks in the same update (see PendingTaskStore).
 *
 * Every update by the owner except `remove` requires that the drop is not taken down (ModerationStore), and every update
 * requires a revision that its target accepts. A refused update changes nothing and returns the first reason that applies:
 * null (no such drop), the takedown, the conflict, then the method's own reasons.
 *
 * A new version with a `quota` counts as one write of its day, if it is stored; a repeat may count again, and so may a call
 * that throws. `day_full`, which comes before every other refusal: the limit is reached, or the account was deleted. Atomic:
 * parallel writes never pass the limit. A new day starts at 0; if a later one has started, the write counts for that one.
 */
export interface DropStore {
  /**
   * Stores the drop with its first version and that version's document (see `addVersion`). Each live drop of an owner has a
   * place: a number from 0 to `cap - 1` that no other live drop of the owner has. An expired drop keeps its place until it
   * is removed: if no place is free, expired drops of the owner are removed first.
   * `no_place`: the owner has `cap` live drops; `slug_taken`: another drop has the slug.
   * A repeat with the same id returns the stored drop.
   * Atomic: parallel creates never pass the cap, unless the cap was lowered below the place of a live drop.
   */
  create(
    drop: NewDrop,
    cap: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | 'day_full' | 'no_place' | 'slug_taken'>;

  /** null: no such drop of this owner. */
  find(ownerId: string, slug: string): Promise<Drop | null>;

  /** A page of the owner's drops, and the number of drops that match. Reads no lists of versions. */
  list(ownerId: string, query: DropQuery): Promise<{ drops: Drop[]; total: number }>;

  /** The slugs of the owner's live drops, oldest first. */
  listSlugs(ownerId: string): Promise<string[]>;

  /** Number of the owner's live drops. */
  count(ownerId: string): Promise<number>;

  /** Newest first; null: no such drop. */
  listVersions(ownerId: string, slug: string): Promise<OwnedVersion[] | null>;

  /** null: no such drop, or no such version of it. */
  findVersion(
    ownerId: string,
    slug: string,
    number: number,
  ): Promise<{ version: OwnedVersion; latestVersion: number } | null>;

  /**
   * Adds the next version (`latestVersion + 1`) and applies the changes, in one update. Its document is stored before, as
   * blobs under the version's id, so a version never exists without its blobs. After a refusal there may be blobs only if
   * another attempt may be storing the same version: with `isRepeat`, or if the call took so long that its client may have
   * repeated it. After an error the outcome is unknown: the version may exist, or blobs without a record. The job
   * `store.reconcile` removes blobs that no record names.
   * null: no such drop; `version_limit`: it has `cap` versions. Atomic: parallel calls get numbers of their own.
   * A repeat with the same version id changes nothing and returns the drop, even if the drop was changed or taken down since.
   */
  addVersion(
    target: DropTarget,
    version: NewVersion,
    changes: DetailChanges,
    cap: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | Takedown | Conflict | null | 'day_full' | 'version_limit'>;

  /** Sets `updatedAt` to `now`. Returns null: no such drop. */
  changeDetails(
    target: DropTarget,
    changes: DetailChanges,
    now: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | Takedown | Conflict | null>;

  /** Sets the lock; null removes it. Sets `updatedAt` to `now`. Returns null: no such drop. */
  setLock(
    target: DropTarget,
    lock: Lock | null,
    now: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | Takedown | Conflict | null>;

  /**
   * Removes the version of that number, recomputes `latestVersion`, and moves the version's id to the trash.
   * null: no such drop; `no_version`: no such version; `last_version`: it is the only one.
   * Atomic: parallel calls never remove the last one.
   */
  removeVersion(
    target: DropTarget,
    number: number,
    now: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | Takedown | Conflict | null | 'no_version' | 'last_version'>;

  /** Marks the drop as deleted, even if it is taken down, and frees its place. Returns its id; null: no such drop. */
  remove(target: DropTarget, now: number): Promise<string | Conflict | null>;

  /**
   * Removes live and expired drops of the owner as `remove` does, each by an update of its own, at most `limit`. Returns at
   * least those that this call has removed; of parallel calls several may return the same. Empty: the owner has none.
   */
  removeSome(ownerId: string, now: number, limit: number): Promise<RemovedDrop[]>;

  /**
   * What the public reads at the slug: the latest version, or the one of that number.
   * null: no such drop. If only the version is missing, `version` of the page is null.
   * A store that reads synchronously returns the page, or throws, without a promise.
   * @throws DropError `unavailable`; `isDown` is true only if the database gave no answer at all
   */
  findPage(slug: string, number: number | null): Page | null | Promise<Page | null>;

  /** The revision (`Page.rev`) of each slug that has a drop. */
  findRevisions(slugs: readonly string[]): Promise<Map<string, number>>;
}

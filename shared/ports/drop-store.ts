import type {
  DetailChanges,
  Drop,
  DropQuery,
  Lock,
  NewDrop,
  NewVersion,
  Page,
  PendingTask,
  Version,
} from '../domain/drop.ts';
import type { Takedown } from '../domain/moderation.ts';

/**
 * Drops for owners and readers. A drop and its versions change as one record: each change is one atomic,
 * conditional update. A deleted drop is absent in every method once `remove` has returned.
 *
 * A visible change raises `rev` and adds `tasks` to the pending tasks in the same update (see PendingTaskStore).
 *
 * Every update by the owner except `remove` requires that the drop is not taken down (ModerationStore). If it is, the
 * update changes nothing and returns the takedown, before any other reason for refusal.
 */
export interface DropStore {
  /**
   * Stores the drop with its first version. Each live drop of an owner has a place: a number from 0 to `cap - 1` that no
   * other live drop of the owner has.
   * `no_place`: the owner has `cap` live drops; `slug_taken`: another drop has the slug.
   * A repeat with the same id returns the stored drop.
   * Atomic: parallel creates never pass the cap, unless the cap was lowered below the place of a live drop.
   */
  create(
    drop: NewDrop,
    cap: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | 'no_place' | 'slug_taken'>;

  /** null: no such drop of this owner. */
  find(ownerId: string, slug: string): Promise<Drop | null>;

  /** A page of the owner's drops, and the number of drops that match. Reads no lists of versions. */
  list(ownerId: string, query: DropQuery): Promise<{ drops: Drop[]; total: number }>;

  /** Number of the owner's live drops. */
  count(ownerId: string): Promise<number>;

  /** Newest first; null: no such drop. */
  listVersions(ownerId: string, slug: string): Promise<Version[] | null>;

  /** null: no such drop, or no such version of it. */
  findVersion(
    ownerId: string,
    slug: string,
    number: number,
  ): Promise<{ version: Version; latestVersion: number } | null>;

  /**
   * Adds the next version (`latestVersion + 1`) and applies the changes, in one update.
   * null: no such drop; `version_limit`: it has `cap` versions. Atomic: parallel calls get numbers of their own.
   * A repeat with the same version id changes nothing and returns the drop, even if the drop was taken down since.
   */
  addVersion(
    ownerId: string,
    slug: string,
    version: NewVersion,
    changes: DetailChanges,
    cap: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | Takedown | null | 'version_limit'>;

  /** Sets `updatedAt` to `now`. Returns null: no such drop. */
  changeDetails(
    ownerId: string,
    slug: string,
    changes: DetailChanges,
    now: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | Takedown | null>;

  /** Sets the lock; null removes it. Sets `updatedAt` to `now`. Returns null: no such drop. */
  setLock(
    ownerId: string,
    slug: string,
    lock: Lock | null,
    now: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | Takedown | null>;

  /**
   * Removes the version of that number, recomputes `latestVersion`, and moves the version's id to the trash.
   * null: no such drop; `no_version`: no such version; `last_version`: it is the only one.
   * Atomic: parallel calls never remove the last one.
   */
  removeVersion(
    ownerId: string,
    slug: string,
    number: number,
    now: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | Takedown | null | 'no_version' | 'last_version'>;

  /** Marks the drop as deleted, even if it is taken down, and frees its place. Returns its id; null: no such drop. */
  remove(ownerId: string, slug: string, now: number): Promise<string | null>;

  /**
   * What the public reads at the slug: the latest version, or the one of that number.
   * null: no such drop. If only the version is missing, `version` of the page is null.
   * A store that reads synchronously returns the page, or throws, without a promise.
   * @throws DropError `unavailable`; `isDown` is true only if the database gave no answer at all
   */
  findPage(slug: string, number: number | null): Page | null | Promise<Page | null>;
}

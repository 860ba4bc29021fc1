import type { Owed } from '../domain/drop.ts';

/** A drop as the jobs see it, deleted ones included. */
export interface DropChores {
  readonly id: string;
  readonly deleted: boolean;
  readonly rev: number;
  readonly owed: readonly Owed[];
  /** Inner ids of its versions; the head is `headId`. */
  readonly versionIds: readonly string[];
  readonly headId: string;
  /** Inner ids of removed versions whose blobs are still to be removed. */
  readonly trash: readonly string[];
}

/** A drop with chores, and where it stands in the list of them. */
export interface ChorePosition {
  /** When it last changed, Unix ms. */
  readonly changedAt: number;
  readonly id: string;
}

/** The same records as DropStore, for the background: what is owed, and what is to be cleaned. */
export interface ChoreStore {
  /** null: no record (it was never there, or its removal is complete). */
  findChores(dropId: string): Promise<DropChores | null>;

  /**
   * Drops that owe something, are deleted, or have trash, and whose last change is older than `before` (Unix ms):
   * those behind `after` (null for the first page), by `changedAt` and then `id` in ascending order, at most
   * `limit`. From a partial index.
   */
  listWithChores(before: number, after: ChorePosition | null, limit: number): Promise<ChorePosition[]>;

  /** Notes that the work is done, unless the drop has changed since it stood at `rev`; false when it has. */
  clearOwed(dropId: string, owed: Owed, rev: number): Promise<boolean>;

  /** Takes these ids out of the trash: their blobs are gone. */
  clearTrash(dropId: string, versionIds: readonly string[]): Promise<void>;

  /**
   * Removes a drop marked deleted: its records of days first, its own last, so that one cut short is found again
   * and repeated. The last step of a removal; nothing if it is not marked.
   */
  erase(dropId: string): Promise<void>;

  /** Which of these version ids some record names: as a version or as trash, of a live or deleted drop. */
  findNamed(versionIds: readonly string[]): Promise<Set<string>>;
}

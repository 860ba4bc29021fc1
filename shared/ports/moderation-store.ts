import type { Drop, PendingTask } from '../domain/drop.ts';
import type { Takedown } from '../domain/moderation.ts';

/**
 * Drops of all owners, for operators. Both changes are visible ones: they raise `rev` and add `tasks` to the pending
 * ones in the same update. They leave `updatedAt`, the time of the owner's last change.
 */
export interface ModerationStore {
  /** null: no such drop, or deleted. */
  findDrop(slug: string): Promise<Drop | null>;

  /**
   * From now on `DropStore.findPage` says that the page is taken down. One that is already keeps its time and gets
   * the newer reason. null: no such drop.
   */
  takeDown(slug: string, takedown: Takedown, tasks: readonly PendingTask[]): Promise<Drop | null>;

  /** The page is shown again. Of one that is not taken down nothing is changed. null: no such drop. */
  restore(slug: string, now: number, tasks: readonly PendingTask[]): Promise<Drop | null>;
}

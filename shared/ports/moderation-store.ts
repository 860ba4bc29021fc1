import type { Drop, Owed } from '../domain/drop.ts';
import type { Takedown } from '../domain/moderation.ts';

/**
 * Drops as operators act on them, whoever's they are. Both changes are visible ones: they raise `rev`, write `owed`
 * down in the same update, and leave `updatedAt` as it is, which is the owner's.
 */
export interface ModerationStore {
  /** null: none, or deleted. */
  findDrop(slug: string): Promise<Drop | null>;

  /**
   * From now on `DropStore.findPage` says that the page is taken down. One that is already keeps its time and gets
   * the newer reason. null: no such drop.
   */
  takeDown(slug: string, takedown: Takedown, owed: readonly Owed[]): Promise<Drop | null>;

  /** The page is shown again. Of one that is not taken down nothing is changed. null: no such drop. */
  restore(slug: string, now: number, owed: readonly Owed[]): Promise<Drop | null>;
}

import type { Drop, PendingTask } from '../drops/drop.ts';
import type { Takedown } from './act.ts';

/** Drops of all owners. `takeDown` and `restore` raise `rev` and add `tasks` in one update, and leave `updatedAt`. */
export interface ModerationStore {
  /** null: no such drop, or deleted, or expired: then no method finds it. */
  findDrop(slug: string): Promise<Drop | null>;

  /** If the page is taken down already, its time stays and the reason is replaced. null: no such drop. */
  takeDown(slug: string, takedown: Takedown, tasks: readonly PendingTask[]): Promise<Drop | null>;

  /** Ends the takedown. Changes nothing if the page is not taken down. null: no such drop. */
  restore(slug: string, now: number, tasks: readonly PendingTask[]): Promise<Drop | null>;
}

import type { ViewCount } from './view-counter.ts';

/** What one batch adds to one drop, over all days. */
export type DropViews = Omit<ViewCount, 'day'>;

/**
 * Views as drops and their days keep them. Each record remembers the last batch that was added to it and ignores
 * that number and lower ones, so adding a batch may be repeated, whole or in part, and by two jobs at once.
 */
export interface ViewTotals {
  /** Adds to each drop its views of that batch; a drop may stand in `counts` once. Nothing for drops that are gone. */
  addToDrops(batch: number, counts: readonly DropViews[]): Promise<void>;

  /**
   * The same for the drops' records of UTC days, each made at its first view; a drop's day may stand in `counts`
   * once. It leaves none of a drop that is gone, or is erased meanwhile.
   */
  addToDays(batch: number, counts: readonly ViewCount[]): Promise<void>;

  /** The drop's views by UTC day (`2026-01-31`), the days without a view left out. */
  listDays(dropId: string): Promise<Map<string, number>>;

  /**
   * Ids of drops that were viewed on that UTC day, in ascending order, above `after` ('' for the first page), at most
   * `limit`. By an index.
   */
  listViewed(day: string, after: string, limit: number): Promise<string[]>;
}

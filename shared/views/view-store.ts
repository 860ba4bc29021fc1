/** Views of one drop on one UTC day (`2026-01-31`). */
export interface ViewCount {
  readonly dropId: string;
  readonly day: string;
  readonly count: number;
}

/** Views by UTC day. */
export interface DayViews {
  /**
   * The drop's views by UTC day (`2026-01-31`), in order; days without a view are left out.
   * @param from the first day; absent: all days
   */
  listDays(dropId: string, from?: string): Promise<Map<string, number>>;

  /**
   * The views of many drops on these UTC days, in one read; days and drops without a view are left out.
   * @param dropIds a page of a list: drops times days should be a few thousand at most
   */
  listDaysOfDrops(
    dropIds: readonly string[],
    days: readonly string[],
  ): Promise<Map<string, ReadonlyMap<string, number>>>;
}

/** Counts the views of each drop, in all and by UTC day, each view once. Ignores views of drops that do not exist. */
export interface ViewStore extends DayViews {
  /**
   * Records views that a web process counted. Atomic.
   * @param writer names the process, new at each start
   * @param flush rises with each call of the writer. A call that failed is repeated under its number, and the views
   *   count once, even if the first call was carried out
   * @param counts at most one entry for a drop and day
   */
  add(writer: string, flush: number, counts: readonly ViewCount[]): Promise<void>;

  /**
   * Adds recorded views to drops and their days. Does nothing in SQLite, where `add` does that. May be repeated after a
   * failure and run by several processes at once.
   */
  aggregate(now: number): Promise<void>;
}

/**
 * The sums of views by drop and by day, for a ViewStore whose `add` records views elsewhere. Its `aggregate`
 * adds them here, in numbered batches.
 */
export interface ViewTotals extends DayViews {
  /**
   * Adds the views of one batch. A drop and a drop's day each remember the number of their last batch and ignore that
   * number and lower ones, so adding a batch may be repeated after a failure and by two jobs at once.
   * @param counts at most one entry for a drop and day
   */
  addBatch(number: number, counts: readonly ViewCount[]): Promise<void>;
}

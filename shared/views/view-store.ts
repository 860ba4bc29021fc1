/** Views of one drop on one UTC day (`2026-01-31`). */
export interface ViewCount {
  readonly dropId: string;
  readonly day: string;
  readonly count: number;
}

/** Views by UTC day. */
export interface DayViews {
  /** The drop's views by UTC day, in order, without days that have none. @param from the first day; absent: all days */
  listDays(dropId: string, from?: string): Promise<Map<string, number>>;

  /** The same of a page of drops on these UTC days, in one read: a few thousand numbers at most. */
  listDaysOfDrops(
    dropIds: readonly string[],
    days: readonly string[],
  ): Promise<Map<string, ReadonlyMap<string, number>>>;
}

/** Removes old days; drops keep their sums. */
export interface DayRemoval {
  /** Removes the days before that one (`2026-01-31`), in parts. May leave some for later calls. */
  removeDaysBefore(day: string): Promise<void>;
}

/** Counts views by drop and by UTC day, each view once. Ignores views of drops that do not exist. */
export interface ViewStore extends DayViews, DayRemoval {
  /**
   * Records counted views. Atomic. @param writer the process, new at each start @param flush rises with each call; a failed
   * call is repeated under its number, and counts once @param counts at most one entry for a drop and day
   */
  add(writer: string, flush: number, counts: readonly ViewCount[]): Promise<void>;

  /** Adds recorded views to drops and days (in SQLite, `add` does). May be repeated, also by several processes at once. */
  aggregate(now: number): Promise<void>;
}

/** The sums of views, for a ViewStore whose `add` records views elsewhere: its `aggregate` adds them here in batches. */
export interface ViewTotals extends DayViews, DayRemoval {
  /** May be repeated: numbers not above the last of a drop and day are ignored. @param counts one entry for a drop and day */
  addBatch(number: number, counts: readonly ViewCount[]): Promise<void>;
}

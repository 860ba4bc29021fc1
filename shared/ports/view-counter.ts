/** Views of one drop on one UTC day (`2026-01-31`). */
export interface ViewCount {
  readonly dropId: string;
  readonly day: string;
  readonly count: number;
}

export interface ViewBatch {
  /** Rises from batch to batch. */
  readonly number: number;
  readonly counts: readonly ViewCount[];
}

/** Where web processes leave counted views and the aggregation job fetches them. */
export interface ViewCounter {
  /**
   * Adds the counts, once: a flush whose number this writer has used, or passed, is ignored. A writer therefore
   * sends the next one when the last one is confirmed.
   * @param writer names the process, new at each start
   * @param flush rises with each flush of the writer
   */
  add(writer: string, flush: number, counts: readonly ViewCount[], now: number): Promise<void>;

  /**
   * The open batch, or a new one of all that was added since, numbered max(last + 1, now); null: nothing to count.
   * Atomic: two jobs at once get the same batch.
   */
  openBatch(now: number): Promise<ViewBatch | null>;

  /** Ends the open batch of that number; nothing if it is ended already. */
  closeBatch(number: number): Promise<void>;

  /** Forgets writers that were last heard of before `before` (Unix ms). */
  forgetWriters(before: number): Promise<void>;
}

/**
 * Notices of visible changes, and whether pages in memory are still current. With the rules of
 * pages/page-cache.ts no request that begins after a change was acknowledged sees the page as it was before, even
 * if notices are lost or a process stops for a while.
 */
export interface PageChanges {
  /**
   * Tells every process that the pages have changed. Call it as soon as the database has confirmed the change, with nothing
   * awaited in between, and await it before the client gets the answer. The listeners of this process are called
   * synchronously. Never rejects.
   * @returns when no process serves from memory what it read before the change
   */
  publish(...slugs: readonly string[]): Promise<void>;

  /** Calls the listener with the slug of each change, of this process and of others. */
  subscribe(listener: (slug: string) => void): void;

  /**
   * Whether a page may be served without a read. Call it in the same step that writes the head of the response.
   * @param asOf what `now` returned before the read was sent; no notice has come since
   */
  isCurrent(asOf: number): boolean;

  /** Monotonic milliseconds, for `asOf`. */
  now(): number;

  /** How often to confirm pages that are in use, so that they stay current; null: they stay current without. */
  readonly confirmEveryMs: number | null;
}

/** The processes that may serve pages from memory. In the database, so that the process that makes a change knows them. */
export interface ProcessRegistry {
  /** Registers the process, or renews its registration, for `ms` milliseconds of the database's clock. */
  renew(processId: string, ms: number): Promise<void>;

  /** Ids of all registered processes. Sees every registration that was confirmed before the call. */
  list(): Promise<string[]>;

  remove(processId: string): Promise<void>;
}

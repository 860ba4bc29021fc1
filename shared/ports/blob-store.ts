/**
 * Bytes by version id: one store for HTML, one for contexts. An id is never used again, so a blob never changes.
 * A blob is written before its version's record (DropStore does both) and removed after it.
 */
export interface BlobStore {
  /** Atomic. May be repeated with the same bytes. */
  put(id: string, bytes: Uint8Array): Promise<void>;

  /** null: no such blob. */
  get(id: string): Promise<Uint8Array | null>;

  /** Ignores unknown ids. */
  delete(ids: readonly string[]): Promise<void>;

  /** Ids in ascending order, above `after` ('' for the first page) and below `below`, at most `limit`. */
  listIds(after: string, below: string, limit: number): Promise<string[]>;
}

/**
 * Bytes under ids of versions: one store for the HTML, one for the contexts. An id is never shared nor used
 * again, so a blob never changes. A blob is put before its record and removed after it.
 */
export interface BlobStore {
  /** Whole or absent. A repeat with the same id leaves the same bytes. */
  put(id: string, bytes: Uint8Array): Promise<void>;

  /** null: none. */
  get(id: string): Promise<Uint8Array | null>;

  /** Unknown ids are no error. */
  delete(ids: readonly string[]): Promise<void>;

  /** Ids in ascending order, above `after` ('' for the first page) and below `below`, at most `limit`. */
  listIds(after: string, below: string, limit: number): Promise<string[]>;
}

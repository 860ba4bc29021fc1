import { bytes, type RecordOf, record, text } from '../domain/record.ts';

/** What the cleanup of orphans needs of a store of blobs. */
export interface BlobIds {
  /** Ignores unknown ids. */
  delete(ids: readonly string[]): Promise<void>;

  /** Ids in ascending order, above `after` ('' for the first page) and below `below`, at most `limit`. */
  listIds(after: string, below: string, limit: number): Promise<string[]>;
}

/** Bytes by version id: one store for HTML, one for contexts. They are written before the version's record and never change. */
export interface BlobStore extends BlobIds {
  /** Atomic. May be repeated with the same bytes. */
  put(id: string, bytes: Uint8Array): Promise<void>;

  /** null: no such blob. */
  get(id: string): Promise<Uint8Array | null>;
}

/** A drop's share card as it was last drawn. */
export const cardRecord = record(
  'cards',
  {
    dropId: text(),
    /** The digest of what it shows (`cardDigest`): if the drop's is another one now, the card is outdated. */
    digest: text(),
    png: bytes(),
  },
  ['dropId'],
);

export type StoredCard = Omit<RecordOf<typeof cardRecord>, 'dropId'>;

/** Share cards by drop id. A card can be drawn again at any time from the drop's record. */
export interface CardStore extends BlobIds {
  /** Replaces the drop's card. Atomic: of parallel puts one stays whole. */
  put(dropId: string, card: StoredCard): Promise<void>;

  /** null: no card is stored. */
  find(dropId: string): Promise<StoredCard | null>;
}

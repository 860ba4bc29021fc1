/** A drop's share card as it was last drawn. */
export interface StoredCard {
  /** Of what it shows (`cardDigest`): another digest than the drop's now means that the card is outdated. */
  readonly digest: string;
  readonly png: Uint8Array;
}

/** Share cards by drop id. A card can be drawn again at any time from the drop's record. */
export interface CardStore {
  /** Replaces the drop's card. Atomic: of parallel puts one stays whole. */
  put(dropId: string, card: StoredCard): Promise<void>;

  /** null: no card is stored. */
  find(dropId: string): Promise<StoredCard | null>;

  /** Ignores unknown ids. */
  delete(dropIds: readonly string[]): Promise<void>;

  /** Ids of drops in ascending order, above `after` ('' for the first page) and below `below`, at most `limit`. */
  listIds(after: string, below: string, limit: number): Promise<string[]>;
}

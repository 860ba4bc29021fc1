/** The sort fields of the API (spec 4.4). */
export const apiSortFields = ['created_at', 'updated_at', 'view_count'] as const;
export const sortFields = [...apiSortFields, 'title'] as const;
export const sortOrders = ['asc', 'desc'] as const;

/**
 * One page of the owner's drops. Titles are compared as folded (drops/search.ts). Drops with equal sort fields are ordered by
 * creation, newest first, then by id.
 */
export interface DropQuery {
  /** The first page is 1. */
  readonly page: number;
  readonly pageSize: number;
  readonly sortBy: (typeof sortFields)[number];
  readonly sortOrder: (typeof sortOrders)[number];
  /** All pairs must match, so a key with two different values matches nothing. */
  readonly metadata: readonly (readonly [key: string, value: string])[];
  /** Words that must occur in title, description or tags (drops/search.ts). */
  readonly search?: string;
}

/** A tag and the number of the owner's drops that have it. */
export interface TagCount {
  readonly key: string;
  readonly value: string;
  readonly count: number;
}

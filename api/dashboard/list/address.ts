import type { Config } from '../../../shared/config/config.ts';
import type { DropQuery } from '../../../shared/drops/drop.ts';
import { createDropQueryReader, metadataPrefix } from '../../drops/list-query.ts';
import { type Query, toPositiveInteger } from '../../http/parameters.ts';

/** Drops on a page of the dashboard: rows of two, three and four cards are full. */
export const pageSize = 24;

export const views = { gallery: 'Gallery', list: 'List' } as const;
export type View = keyof typeof views;

/** The orders that a person can choose. */
export const sorts = {
  newest: { name: 'Newest', sortBy: 'created_at', sortOrder: 'desc' },
  changed: { name: 'Last changed', sortBy: 'updated_at', sortOrder: 'desc' },
  views: { name: 'Most viewed', sortBy: 'view_count', sortOrder: 'desc' },
  oldest: { name: 'Oldest', sortBy: 'created_at', sortOrder: 'asc' },
} as const;
export type Sort = keyof typeof sorts;

/** What the address of the list says: all that a person has chosen, so that a bookmark or a reload shows the same. */
export interface ListAddress {
  readonly words: string;
  readonly tags: readonly (readonly [key: string, value: string])[];
  readonly sort: Sort;
  readonly view: View;
  readonly page: number;
}

const listPath = '/drops';

/**
 * Search and tags have the names and rules of GET /api/drops. A sort, view or page that does not exist is the first one.
 * @returns a function of the query. It throws DropError `invalid_arg`
 */
export function createAddressReader(config: Config): (query: Query) => ListAddress {
  const readQuery = createDropQueryReader(config);
  return (query) => {
    const filters = Object.entries(query).filter(([name]) => name === 'q' || name.startsWith(metadataPrefix));
    const { search = '', metadata } = readQuery(Object.fromEntries(filters));
    const page = typeof query.page === 'string' ? toPositiveInteger(query.page) : null;
    return {
      words: search.trim(),
      tags: [...new Map(metadata.map((tag) => [tag.join('='), tag])).values()],
      sort: oneOf(sorts, query.sort, 'newest'),
      view: oneOf(views, query.view, 'gallery'),
      page: Math.min(page ?? 1, 1_000_000),
    };
  };
}

export function toDropQuery({ words, tags, sort, page }: ListAddress): DropQuery {
  const { sortBy, sortOrder } = sorts[sort];
  return { page, pageSize, sortBy, sortOrder, metadata: tags, ...(words !== '' && { search: words }) };
}

/** The path of the list. Without a page in the changes it is the first, because another filter has other pages. */
export function listHref(address: ListAddress, changes: Partial<ListAddress> = {}): string {
  const { words, tags, sort, view, page } = { ...address, page: 1, ...changes };
  const query = new URLSearchParams();
  if (words !== '') query.append('q', words);
  for (const [key, value] of tags) query.append(metadataPrefix + key, value);
  if (sort !== 'newest') query.append('sort', sort);
  if (view !== 'gallery') query.append('view', view);
  if (page > 1) query.append('page', String(page));
  return query.size === 0 ? listPath : `${listPath}?${query}`;
}

export function isFiltered({ words, tags }: ListAddress): boolean {
  return words !== '' || tags.length > 0;
}

function oneOf<K extends string>(values: Readonly<Record<K, unknown>>, given: unknown, fallback: K): K {
  const isKey = (value: unknown): value is K => typeof value === 'string' && Object.hasOwn(values, value);
  return isKey(given) ? given : fallback;
}

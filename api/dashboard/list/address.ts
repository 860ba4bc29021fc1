import type { Config } from '../../../shared/config/config.ts';
import type { DropQuery } from '../../../shared/drops/drop-query.ts';
import { DropQueryReader } from '../../drops/list-query.ts';
import { metadataPrefix, type Query, toPositiveInteger } from '../../http/parameters.ts';
import { dashboardPaths } from '../../http/paths.ts';

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
  title: { name: 'Title', sortBy: 'title', sortOrder: 'asc' },
} as const;
export type Sort = keyof typeof sorts;

type Tag = readonly [key: string, value: string];

/** What a browser remembers of the last list (list-cookie.ts). */
export interface Choices {
  readonly sort: Sort;
  readonly view: View;
}

export const defaultChoices: Choices = { sort: 'newest', view: 'gallery' };

/** What the address of the list says: all that a person has chosen, so that a bookmark or a reload shows the same. */
export interface ListAddress extends Choices {
  readonly words: string;
  readonly tags: readonly Tag[];
  readonly page: number;
  /** What an address without sort and view means. */
  readonly remembered: Choices;
}

/** Search and tags are those of GET /api/drops. A sort or view that does not exist is the remembered one. @throws DropError `invalid_arg` */
export function createAddressReader(config: Config): (query: Query, remembered?: Choices) => ListAddress {
  const queries = new DropQueryReader(config);
  return (query, remembered = defaultChoices) => {
    const filters = Object.entries(query).filter(([name]) => name === 'q' || name.startsWith(metadataPrefix));
    const { search = '', metadata } = queries.read(Object.fromEntries(filters));
    const page = typeof query.page === 'string' ? toPositiveInteger(query.page) : null;
    return {
      words: search.trim(),
      tags: [...new Map(metadata.map((tag) => [tag.join('='), tag])).values()],
      sort: keyOrDefault(sorts, query.sort, remembered.sort),
      view: keyOrDefault(views, query.view, remembered.view),
      page: Math.min(page ?? 1, 1_000_000),
      remembered,
    };
  };
}

export function toDropQuery({ words, tags, sort, page }: ListAddress): DropQuery {
  const { sortBy, sortOrder } = sorts[sort];
  return { page, pageSize, sortBy, sortOrder, metadata: tags, ...(words !== '' && { search: words }) };
}

/** The path of the list. Without a page in the changes it is the first, because another filter has other pages. */
export function listHref(address: ListAddress, changes: Partial<ListAddress> = {}): string {
  const query = new URLSearchParams(parametersOf({ ...address, page: 1, ...changes }));
  return query.size === 0 ? dashboardPaths.drops : `${dashboardPaths.drops}?${query}`;
}

/** The query of the list, without what is so by default and is remembered so. */
export function parametersOf({ words, tags, sort, view, page, remembered }: ListAddress): [string, string][] {
  const filters = tags.map(([key, value]): [string, string] => [metadataPrefix + key, value]);
  const all: [string, string][] = [
    ['q', words],
    ...filters,
    ['sort', sort],
    ['view', view],
    ['page', `${page}`],
  ];
  const nothing: Readonly<Record<string, string>> = { q: '', page: '1', ...defaultChoices };
  const kept: Readonly<Record<string, string>> = { ...nothing, ...remembered };
  return all.filter(([name, value]) => nothing[name] !== value || kept[name] !== value);
}

/** The list with the tag as a filter, or without it if it is one. */
export function tagFilter(
  address: ListAddress,
  [key, value]: Tag,
): { readonly href: string; readonly isOn: boolean } {
  const others = address.tags.filter(([name, text]) => name !== key || text !== value);
  const isOn = others.length < address.tags.length;
  return { isOn, href: listHref(address, { tags: isOn ? others : [...others, [key, value]] }) };
}

export function isFiltered({ words, tags }: ListAddress): boolean {
  return words !== '' || tags.length > 0;
}

export function keyOrDefault<K extends string>(
  values: Readonly<Record<K, unknown>>,
  given: unknown,
  fallback: K,
): K {
  const isKey = (value: unknown): value is K => typeof value === 'string' && Object.hasOwn(values, value);
  return isKey(given) ? given : fallback;
}

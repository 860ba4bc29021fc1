import { type Drop, type DropQuery, sortFields, sortOrders } from '../../shared/domain/drop.ts';
import { slugPattern } from '../../shared/domain/ids.ts';
import { pageUrl, rawPath } from '../http/paths.ts';
import {
  address,
  fields,
  flag,
  integer,
  list,
  map,
  named,
  oneOf,
  optional,
  text,
  time,
  type Wire,
} from '../openapi/shape.ts';

export const slugShape = text('Identifies the drop in paths.', {
  pattern: slugPattern.source,
  examples: ['t9tzZkipKQ5I'],
});

/** Spec section 2. */
export const dropShape = named(
  'Drop',
  fields(
    {
      slug: slugShape,
      title: text('The title of the page.', { examples: ['Hello'] }),
      description: optional(
        text('The description of the page. Absent if none is set.', { examples: ['A first page'] }),
      ),
      url: address('The public viewer page.', 'https://drops.example/p/t9tzZkipKQ5I'),
      raw_url: address('The page itself.', 'https://drops.example/p/t9tzZkipKQ5I/raw'),
      locked: flag('Whether viewers must enter a passcode.'),
      latest_version: integer('The highest version number that exists.', 1, { examples: [1] }),
      view_count: integer('Views by people, updated every few seconds.', 0, { examples: [0] }),
      metadata: map('Tags that only the owner sees.', { examples: [{ project: 'demo' }] }),
      created_at: time('When the drop was created.'),
      updated_at: time('When its owner last changed it.'),
      expires_at: optional(time('When the drop is deleted. Absent if it does not expire.')),
      taken_down: optional(
        fields(
          {
            at: time('When the operators took the page down.'),
            reason: text('Why, as the operators wrote it.', { examples: ['It imitates a bank.'] }),
          },
          'The operators of the service took the page down: nobody can open it, and its owner can only read or delete it. Absent otherwise.',
        ),
      ),
    },
    'A published page.',
  ),
);

export const dropListShape = named(
  'DropList',
  fields({
    data: list(dropShape),
    pagination: named(
      'Pagination',
      fields({
        page: integer('The number of this page of the list.', 1, { examples: [1] }),
        page_size: integer('Maximum number of drops on a page.', 1, { examples: [50] }),
        total_items: integer('Drops that match.', 0, { examples: [1] }),
        total_pages: integer('Pages of the list. 0 if nothing matches.', 0, { examples: [1] }),
        sort_by: oneOf('The sort field.', sortFields),
        sort_order: oneOf('The sort order.', sortOrders),
      }),
    ),
  }),
);

/** A drop on the wire (spec section 2). Every field is always there, except `description`, `expires_at` and `taken_down`. */
export function presentDrop(drop: Drop, baseUrl: string): Wire<typeof dropShape> {
  return {
    slug: drop.slug,
    title: drop.title,
    ...(drop.description !== null && { description: drop.description }),
    url: pageUrl(baseUrl, drop.slug),
    raw_url: baseUrl + rawPath(drop.slug),
    locked: drop.locked,
    latest_version: drop.latestVersion,
    view_count: drop.viewCount,
    metadata: Object.fromEntries(drop.metadata),
    created_at: drop.createdAt,
    updated_at: drop.updatedAt,
    ...(drop.expiresAt !== null && { expires_at: drop.expiresAt }),
    ...(drop.takedown !== null && { taken_down: { at: drop.takedown.at, reason: drop.takedown.reason } }),
  };
}

/** A page of the drop list (spec section 2). */
export function presentDropList(
  found: { drops: readonly Drop[]; total: number },
  query: DropQuery,
  baseUrl: string,
): Wire<typeof dropListShape> {
  return {
    data: found.drops.map((drop) => presentDrop(drop, baseUrl)),
    pagination: {
      page: query.page,
      page_size: query.pageSize,
      total_items: found.total,
      total_pages: Math.ceil(found.total / query.pageSize),
      sort_by: query.sortBy,
      sort_order: query.sortOrder,
    },
  };
}

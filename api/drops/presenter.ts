import type { Drop, DropQuery, Version } from '../../shared/domain/drop.ts';
import { sortFields, sortOrders } from '../../shared/domain/drop.ts';
import { slugPattern } from '../../shared/domain/ids.ts';
import { pageUrl } from '../http/paths.ts';
import {
  address,
  fields,
  flag,
  integer,
  list,
  map,
  named,
  nullable,
  oneOf,
  optional,
  text,
  time,
  type Wire,
} from '../openapi/shape.ts';

const slug = text('Identifies the drop in paths.', {
  pattern: slugPattern.source,
  examples: ['t9tzZkipKQ5I'],
});
const versionNumber = integer('The number of the version.', 1, { examples: [1] });
const sizeBytes = integer('UTF-8 bytes of the HTML as posted.', 1, { examples: [1024] });

/** Spec section 2. */
export const dropShape = named(
  'Drop',
  fields(
    {
      slug,
      title: text('What the page is called.', { examples: ['Hello'] }),
      description: optional(text('Left out where none is set.', { examples: ['A first page'] })),
      url: address('The public viewer page.', 'https://drops.example/p/t9tzZkipKQ5I'),
      raw_url: address('The page itself.', 'https://drops.example/p/t9tzZkipKQ5I/raw'),
      locked: flag('Whether viewers are asked for a passcode.'),
      latest_version: integer('The highest version number that exists.', 1, { examples: [1] }),
      view_count: integer('Views by people, added up every few seconds.', 0, { examples: [0] }),
      metadata: map('Tags that only the owner sees.', { examples: [{ project: 'demo' }] }),
      created_at: time('When the drop was made.'),
      updated_at: time('When its owner last changed it.'),
    },
    'A page that is published, as every call that makes, reads or changes one shows it.',
  ),
);

export const dropListShape = named(
  'DropList',
  fields({
    data: list(dropShape),
    pagination: named(
      'Pagination',
      fields({
        page: integer('This page of the list.', 1, { examples: [1] }),
        page_size: integer('Drops on a page, at most.', 1, { examples: [50] }),
        total_items: integer('Drops that match.', 0, { examples: [1] }),
        total_pages: integer('Pages that they fill; 0 where nothing matches.', 0, { examples: [1] }),
        sort_by: oneOf('What the list is sorted by.', sortFields),
        sort_order: oneOf('In which direction.', sortOrders),
      }),
    ),
  }),
);

export const versionListItemShape = named(
  'VersionListItem',
  fields({
    version: versionNumber,
    size_bytes: sizeBytes,
    has_context: flag('Whether a reasoning trace is stored with it.'),
    created_at: time('When the version was posted.'),
  }),
);

export const versionListShape = list(versionListItemShape);

export const versionShape = named(
  'Version',
  fields({
    slug,
    version: versionNumber,
    size_bytes: sizeBytes,
    context: nullable(text('The reasoning trace of this version; null for none.')),
    created_at: time('When the version was posted.'),
    is_latest: flag('Whether it is what viewers see.'),
  }),
);

/** A drop on the wire (spec section 2). `description` only when set; every other field always. */
export function presentDrop(drop: Drop, baseUrl: string): Wire<typeof dropShape> {
  const url = pageUrl(baseUrl, drop.slug);
  return {
    slug: drop.slug,
    title: drop.title,
    ...(drop.description !== null && { description: drop.description }),
    url,
    raw_url: `${url}/raw`,
    locked: drop.locked,
    latest_version: drop.latestVersion,
    view_count: drop.viewCount,
    metadata: Object.fromEntries(drop.metadata),
    created_at: drop.createdAt,
    updated_at: drop.updatedAt,
  };
}

/** The envelope of the drop list (spec section 2). */
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

export function presentVersionListItem(version: Version): Wire<typeof versionListItemShape> {
  return {
    version: version.number,
    size_bytes: version.sizeBytes,
    has_context: version.hasContext,
    created_at: version.createdAt,
  };
}

export function presentVersion(
  slug: string,
  found: { version: Version; context: string | null; isLatest: boolean },
): Wire<typeof versionShape> {
  return {
    slug,
    version: found.version.number,
    size_bytes: found.version.sizeBytes,
    context: found.context,
    created_at: found.version.createdAt,
    is_latest: found.isLatest,
  };
}

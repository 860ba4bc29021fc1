import type { Drop, DropQuery, Version } from '../../shared/domain/drop.ts';
import { pageUrl } from '../paths.ts';

/** A drop on the wire (spec section 2). `description` only when set; every other field always. */
export function presentDrop(drop: Drop, baseUrl: string) {
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
) {
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

export function presentVersionListItem(version: Version) {
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
) {
  return {
    slug,
    version: found.version.number,
    size_bytes: found.version.sizeBytes,
    context: found.context,
    created_at: found.version.createdAt,
    is_latest: found.isLatest,
  };
}

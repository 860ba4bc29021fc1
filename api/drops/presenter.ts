import type { ServerResponse } from 'node:http';
import type { CommentCounts } from '../../shared/comments/comment-store.ts';
import { slugPattern } from '../../shared/domain/ids.ts';
import type { Document, Drop } from '../../shared/drops/drop.ts';
import { apiSortFields, sortOrders } from '../../shared/drops/drop-query.ts';
import { etagOf } from '../../shared/drops/revision.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import type { Written } from '../../shared/idempotency/idempotency.ts';
import { pageUrl, rawPath } from '../http/paths.ts';
import { type ServiceResponse, sendJson } from '../http/send.ts';
import {
  addressShape,
  fields,
  flagShape,
  integerShape,
  list,
  mapShape,
  named,
  oneOfShape,
  optional,
  textShape,
  timeShape,
  type Wire,
} from '../openapi/shape.ts';
import { dropFieldTexts } from './fields.ts';
import type { ApiDropQuery } from './list-query.ts';
import { documentWarnings, sharingWarnings } from './warnings.ts';

export const slugShape = textShape(dropFieldTexts.slug.about, {
  pattern: slugPattern.source,
  examples: [dropFieldTexts.slug.example],
});

/** Spec section 2. */
export const dropShape = named(
  'Drop',
  fields(
    {
      slug: slugShape,
      title: textShape(dropFieldTexts.title.about, { examples: [dropFieldTexts.title.example] }),
      description: optional(
        textShape(`${dropFieldTexts.description.about} Absent if none is set.`, {
          examples: [dropFieldTexts.description.example],
        }),
      ),
      url: addressShape('The public viewer page.', 'https://drops.example/p/t9tzZkipKQ5I'),
      raw_url: addressShape('The page itself.', 'https://drops.example/p/t9tzZkipKQ5I/raw'),
      locked: flagShape('Whether viewers must enter a passcode.'),
      latest_version: integerShape('The highest version number that exists.', 1, { examples: [1] }),
      view_count: integerShape('Views by people, updated every few seconds.', 0, { examples: [0] }),
      metadata: mapShape(dropFieldTexts.metadata.about, { examples: [dropFieldTexts.metadata.example] }),
      created_at: timeShape('When the drop was created.'),
      updated_at: timeShape('When its owner last changed it.'),
      expires_at: optional(timeShape('When the drop is deleted. Absent if it does not expire.')),
      comments: optional(
        oneOfShape(`${dropFieldTexts.comments.about} Absent: nobody.`, ['members', 'anyone']),
      ),
      access: optional(
        oneOfShape(`${dropFieldTexts.access.about} Absent: who has the address.`, ['members', 'named']),
      ),
      people: optional(list(textShape('A person, a domain or a group. Only with `access` `named`.'))),
      open_comments: optional(integerShape('Comments that are not resolved. Absent if there are none.', 1)),
      taken_down: optional(
        fields(
          {
            at: timeShape('When the operators took the page down.'),
            reason: textShape('Why, as the operators wrote it.', { examples: ['It imitates a bank.'] }),
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
        page: integerShape('The number of this page of the list.', 1, { examples: [1] }),
        page_size: integerShape('Maximum number of drops on a page.', 1, { examples: [50] }),
        total_items: integerShape('Drops that match.', 0, { examples: [1] }),
        total_pages: integerShape('Pages of the list. 0 if nothing matches.', 0, { examples: [1] }),
        sort_by: oneOfShape('The sort field.', apiSortFields),
        sort_order: oneOfShape('The sort order.', sortOrders),
      }),
    ),
  }),
);

/** A drop on the wire (spec section 2). */
export function presentDrop(drop: Drop, baseUrl: string, openComments = 0): Wire<typeof dropShape> {
  return {
    slug: drop.slug,
    title: drop.title,
    description: drop.description ?? undefined,
    url: pageUrl(baseUrl, drop.slug),
    raw_url: baseUrl + rawPath(drop.slug),
    locked: drop.locked,
    latest_version: drop.latestVersion,
    view_count: drop.viewCount,
    metadata: Object.fromEntries(drop.metadata),
    created_at: drop.createdAt,
    updated_at: drop.updatedAt,
    expires_at: drop.expiresAt ?? undefined,
    comments: drop.comments === 'owner' ? undefined : drop.comments,
    access: drop.access === 'link' ? undefined : drop.access,
    people: drop.access === 'named' ? (drop.people ?? []) : undefined,
    open_comments: openComments || undefined,
    taken_down: drop.takedown === null ? undefined : { at: drop.takedown.at, reason: drop.takedown.reason },
  };
}

/** @param counts of comments, by the id of the drop */
export function presentDropList(
  found: { drops: readonly Drop[]; total: number },
  query: ApiDropQuery,
  baseUrl: string,
  counts: ReadonlyMap<string, CommentCounts> = new Map(),
): Wire<typeof dropListShape> {
  return {
    data: found.drops.map((drop) => presentDrop(drop, baseUrl, counts.get(drop.id)?.open)),
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

/** With its open comments. What was written is answered also if they cannot be counted. */
export async function showDrop({ comments, config, log }: Services, drop: Drop) {
  const counts = await comments.count([drop.id]).catch((err: unknown) => {
    log.warn({ err }, 'the open comments of a drop were not counted');
    return null;
  });
  return presentDrop(drop, config.BASE_URL, counts?.get(drop.id)?.open);
}

/** Sends one drop, with its ETag. The ETag is for If-Match only: `view_count` changes without it, so no GET is answered 304. */
export async function sendDrop(
  res: ServerResponse,
  drop: Drop,
  services: Services,
  { status = 200, mayHaveComments = true } = {},
): Promise<void> {
  const shown = mayHaveComments
    ? await showDrop(services, drop)
    : presentDrop(drop, services.config.BASE_URL);
  res.setHeader('ETag', etagOf(drop));
  sendJson(res, shown, status);
}

/**
 * Sends the drop of a write, and says whether an earlier request with the same Idempotency-Key did it.
 * @param write.isNew whether it made the drop: the status is 201 @param write.document that it stored, for warnings
 */
export async function sendWritten(
  res: ServiceResponse,
  { drop, isReplayed }: Written,
  services: Services,
  write: { readonly isNew?: boolean; readonly document?: Document } = {},
): Promise<void> {
  const { isNew = false, document } = write;
  const found = document === undefined ? [] : await documentWarnings(drop.ownerId, document, services);
  res.locals.warnings = [...sharingWarnings(drop, services.config), ...found, ...(res.locals.warnings ?? [])];
  if (isReplayed) res.setHeader('Idempotency-Replayed', 'true');
  const status = isNew ? 201 : 200;
  await sendDrop(res, drop, services, { status, mayHaveComments: !isNew || isReplayed });
}

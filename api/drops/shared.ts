import { object } from 'yup';
import type { SharedDrop } from '../../shared/drops/shared-drops.ts';
import { queryOf, toPositiveInteger } from '../http/parameters.ts';
import { pageUrl, rawPath } from '../http/paths.ts';
import { call, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendJson } from '../http/send.ts';
import { integerField, invalid, textField, validate } from '../http/validate.ts';
import { json, type Operation } from '../openapi/operation.ts';
import { queryParameters } from '../openapi/request-schema.ts';
import {
  addressShape,
  exactShape,
  fields,
  list,
  named,
  optional,
  textShape,
  timeShape,
  type Wire,
} from '../openapi/shape.ts';
import { dropFieldTexts } from './fields.ts';
import { slugShape } from './presenter.ts';

const defaultLimit = 50;
/** An id of a drop. */
const cursorPattern = /^[0-9a-f]{32}$/;

export const sharedQuery = object({
  limit: integerField('limit', 100).meta({ description: 'Drops of an answer.', default: defaultLimit }),
  after: textField('after')
    .test({
      name: 'cursor',
      params: { json: { pattern: cursorPattern.source } },
      message: invalid('after must be the next of an earlier answer'),
      test: (value) => value === undefined || cursorPattern.test(value),
    })
    .meta({ description: 'The next of an earlier answer.' }),
});

/** @throws DropError `invalid_arg` */
export function readSharedQuery(query: unknown): { after: string | null; limit: number } {
  const { after = null, limit } = validate(sharedQuery, query, 'query');
  return { after, limit: toPositiveInteger(limit) ?? defaultLimit };
}

const sharedShape = named(
  'SharedDrops',
  fields({
    data: list(
      named(
        'SharedDrop',
        fields({
          slug: slugShape,
          title: optional(textShape(`${dropFieldTexts.title.about} Absent behind a passcode.`)),
          url: addressShape('The viewer page.'),
          raw_url: addressShape('The page itself, also for a program with your token.'),
          owner: textShape('The name of its owner.'),
          updated_at: timeShape('When its owner last changed it.'),
          access: exactShape(dropFieldTexts.access.about, 'named'),
        }),
      ),
    ),
    next: optional(textShape('As `after`: the next ones. Absent: these are the last.')),
  }),
);

export function presentShared(
  { drops, next }: { readonly drops: readonly SharedDrop[]; readonly next: string | null },
  baseUrl: string,
): Wire<typeof sharedShape> {
  return {
    data: drops.map(({ slug, title, ownerName, updatedAt }) => ({
      slug,
      title: title ?? undefined,
      url: pageUrl(baseUrl, slug),
      raw_url: baseUrl + rawPath(slug),
      owner: ownerName,
      updated_at: updatedAt,
      access: 'named',
    })),
    next: next ?? undefined,
  };
}

/** docs/decisions/drops.md, Who may read. */
const sharedOperation = {
  id: 'listSharedDrops',
  tag: 'Drops',
  summary: 'List the drops that others share with you',
  description:
    'Drops of other accounts whose `people` name you, by an address that your identity provider has verified, its domain or a group; the newest first.',
  parameters: queryParameters(sharedQuery),
  replies: [json('The drops.', sharedShape, undefined)],
} as const satisfies Operation;

export function sharedRoute({ services: { sharedDrops, config } }: RouteParts): Route {
  return call('GET', '/api/shared', 'accountRead', sharedOperation, async (req, res, caller) => {
    const { after, limit } = readSharedQuery(queryOf(req));
    sendJson(res, presentShared(await sharedDrops.list(caller, after, limit), config.BASE_URL));
  });
}

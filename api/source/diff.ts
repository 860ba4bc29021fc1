import { object } from 'yup';
import { defaultFormat, diffFormats } from '../../shared/html/compared-lines.ts';
import { maxVersionNumber, queryOf, readSlug, toPositiveInteger } from '../http/parameters.ts';
import { call, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendText } from '../http/send.ts';
import { integer, oneOf, validate } from '../http/validate.ts';
import type { Operation } from '../openapi/operation.ts';
import { queryParameters, slugParameter } from '../openapi/request-schema.ts';
import { text } from '../openapi/shape.ts';

const diffType = 'text/x-diff';

const diffQuery = object({
  from: integer('from', maxVersionNumber).meta({
    description:
      'The number of the older version. Default: the version before `to`; needed if `to` is version 1, or the lowest that exists.',
  }),
  to: integer('to', maxVersionNumber).meta({
    description: 'The number of the newer version. Default: the latest version.',
  }),
  format: oneOf('format', diffFormats).meta({
    description:
      '`source`: the HTML. `text`: what readers see of it, a line for each block, without scripts and style sheets.',
    default: defaultFormat,
  }),
});

/** docs/decisions.md, What changed. */
const diffOperation = {
  id: 'diffVersions',
  tag: 'Versions',
  summary: 'Compare two versions',
  description:
    'A unified diff; empty if the two are the same. A line of over 300 characters, such as a minified document, is split at tags, statements and sentences first. 400 `invalid_arg` if there is no older version, or if the two are too different to be compared in time.',
  parameters: [slugParameter, ...queryParameters(diffQuery)],
  replies: [
    { status: 200, description: 'The diff.', content: { [diffType]: { shape: text('A unified diff.') } } },
  ],
  refusals: ['invalid_slug', 'not_found'],
} as const satisfies Operation;

export function diffRoute({ services: { diffs } }: RouteParts): Route {
  return call('GET', '/api/drops/:slug/diff', 'withToken', diffOperation, async (req, res, caller) => {
    const slug = readSlug(req);
    const { from, to, format } = validate(diffQuery, queryOf(req), 'query');
    const { diff } = await diffs.compare(caller, slug, {
      from: toPositiveInteger(from),
      to: toPositiveInteger(to),
      format: format ?? defaultFormat,
    });
    sendText(res, 200, diffType, diff);
  });
}

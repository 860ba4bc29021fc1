import type { ServerResponse } from 'node:http';
import { object } from 'yup';
import type { Caller } from '../../shared/accounts/account.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { defaultFormat, diffFormats } from '../../shared/html/compared-lines.ts';
import { sha256Of } from '../../shared/util/sha256.ts';
import { isFresh } from '../http/entity-tags.ts';
import { attachment } from '../http/file-names.ts';
import {
  type ApiRequest,
  maxVersionNumber,
  queryOf,
  readSlug,
  readVersionNumber,
  toPositiveInteger,
} from '../http/parameters.ts';
import { call, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendBytes, sendText } from '../http/send.ts';
import { integerField, oneOfField, validate } from '../http/validate.ts';
import type { Operation } from '../openapi/operation.ts';
import { queryParameters } from '../openapi/request-schema.ts';
import { textShape } from '../openapi/shape.ts';

const replies = [
  {
    status: 200,
    description: 'The bytes as posted.',
    content: { 'text/html': { shape: textShape('The document.', { minLength: 1 }) } },
    headers: ['ETag', 'Content-Disposition', 'Repr-Digest'],
  },
  { status: 304, description: 'The client has this document.', headers: ['ETag'] },
] as const satisfies Operation['replies'];

const asPosted = 'The bytes as posted, also if the drop is locked, as a download.';

/** docs/decisions/versions.md. */
const sourceOperations = {
  readLatest: {
    id: 'readSource',
    tag: 'Versions',
    summary: 'Read the HTML of a drop',
    description: `${asPosted} Of the latest version.`,
    replies,
  },
  read: {
    id: 'readVersionSource',
    tag: 'Versions',
    summary: 'Read the HTML of a version',
    description: asPosted,
    replies,
  },
} as const satisfies Record<string, Operation>;

/** For a document that is downloaded as a file. Its name has the title and, of an older version, its number. */
export function setDownloadHeaders(
  res: ServerResponse,
  page: { readonly slug: string; readonly title: string; readonly latestVersion: number },
  number: number,
): void {
  // The document of a stranger may run nothing here, even if a browser shows it in spite of the download.
  res.setHeader('Content-Security-Policy', 'sandbox');
  const rest = number === page.latestVersion ? '.html' : ` v${number}.html`;
  res.setHeader('Content-Disposition', attachment(page, rest));
}

export function sourceHandlers({ drops }: Services) {
  async function send(req: ApiRequest, res: ServerResponse, caller: Caller, number: number | null) {
    const slug = readSlug(req);
    const found = await drops.findVersion(caller, slug, number);
    const { version } = found;
    const etag = `"${version.id}"`;
    const isKnown = isFresh(req.headers['if-none-match'], etag);
    const html = isKnown ? null : await drops.readHtml(caller, slug, version);
    res.setHeader('ETag', etag);
    if (html === null) {
      res.statusCode = 304;
      res.end();
      return;
    }
    setDownloadHeaders(res, { ...found, slug }, version.number);
    const digest = version.sha256 === null ? await sha256Of(html) : Buffer.from(version.sha256, 'hex');
    res.setHeader('Repr-Digest', `sha-256=:${digest.toString('base64')}:`);
    sendBytes(res, 'text/html', html);
  }

  return {
    readLatest: (req: ApiRequest, res: ServerResponse, caller: Caller) => send(req, res, caller, null),
    read: (req: ApiRequest, res: ServerResponse, caller: Caller) =>
      send(req, res, caller, readVersionNumber(req)),
  };
}

export function sourceRoutes({ services }: RouteParts): readonly Route[] {
  const { readLatest, read } = sourceHandlers(services);
  return [
    call('GET', '/api/drops/:slug/html', 'withToken', sourceOperations.readLatest, readLatest),
    call('GET', '/api/drops/:slug/v/:n/html', 'withToken', sourceOperations.read, read),
  ];
}

const diffType = 'text/x-diff';

const diffQuery = object({
  from: integerField('from', maxVersionNumber).meta({
    description:
      'The number of the older version. Default: the version before `to`; needed if `to` is version 1, or the lowest that exists.',
  }),
  to: integerField('to', maxVersionNumber).meta({
    description: 'The number of the newer version. Default: the latest version.',
  }),
  format: oneOfField('format', diffFormats).meta({
    description:
      '`source`: the HTML. `text`: what readers see of it, a line for each block, without scripts and style sheets.',
    default: defaultFormat,
  }),
});

/** docs/decisions/versions.md. */
const diffOperation = {
  id: 'diffVersions',
  tag: 'Versions',
  summary: 'Compare two versions',
  description:
    'A unified diff; empty if the two are the same. A line of over 300 characters, such as a minified document, is split at tags, statements and sentences first. 400 `invalid_arg` if there is no older version, or if the two are too different to be compared in time.',
  parameters: queryParameters(diffQuery),
  replies: [
    {
      status: 200,
      description: 'The diff.',
      content: { [diffType]: { shape: textShape('A unified diff.') } },
    },
  ],
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

import type { ServerResponse } from 'node:http';
import type { Caller } from '../../shared/domain/account.ts';
import type { Services } from '../../shared/open-services.ts';
import { isFresh } from '../http/content-encoding.ts';
import { type ApiRequest, readSlug, readVersionNumber } from '../http/parameters.ts';
import { call, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendBytes } from '../http/send.ts';
import type { Operation } from '../openapi/operation.ts';
import { slugParameter, versionParameters } from '../openapi/request-schema.ts';
import { text } from '../openapi/shape.ts';

const replies = [
  {
    status: 200,
    description: 'The bytes as posted.',
    content: { 'text/html': { shape: text('The document.', { minLength: 1 }) } },
    headers: ['ETag', 'Content-Disposition'],
  },
  { status: 304, description: 'The client has this document.', headers: ['ETag'] },
] as const satisfies Operation['replies'];

const asPosted = 'The bytes as posted, also if the drop is locked, as a download.';

/** docs/decisions.md, Reading back. */
const sourceOperations = {
  readLatest: {
    id: 'readSource',
    tag: 'Versions',
    summary: 'Read the HTML of a drop',
    description: `${asPosted} Of the latest version.`,
    parameters: [slugParameter],
    replies,
    refusals: ['invalid_slug', 'not_found'],
  },
  read: {
    id: 'readVersionSource',
    tag: 'Versions',
    summary: 'Read the HTML of a version',
    description: asPosted,
    parameters: versionParameters,
    replies,
    refusals: ['invalid_slug', 'not_found'],
  },
} as const satisfies Record<string, Operation>;

/** For a document that is downloaded as a file. */
export function setDownloadHeaders(res: ServerResponse, slug: string, number: number): void {
  // The document of a stranger may run nothing here, even if a browser shows it in spite of the download.
  res.setHeader('Content-Security-Policy', 'sandbox');
  res.setHeader('Content-Disposition', `attachment; filename="${slug}-v${number}.html"`);
}

export function sourceHandlers({ drops }: Services) {
  async function send(req: ApiRequest, res: ServerResponse, caller: Caller, number: number | null) {
    const slug = readSlug(req);
    const version = await drops.findVersion(caller, slug, number);
    const etag = `"${version.id}"`;
    const isKnown = isFresh(req.headers['if-none-match'], etag);
    const html = isKnown ? null : await drops.readHtml(caller, slug, version);
    res.setHeader('ETag', etag);
    if (html === null) {
      res.statusCode = 304;
      res.end();
      return;
    }
    setDownloadHeaders(res, slug, version.number);
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

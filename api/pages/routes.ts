import { cardPath, oembedPath, rawPath } from '../http/paths.ts';
import { open, openCall, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import type { Operation, Parameter } from '../openapi/operation.ts';
import { textShape } from '../openapi/shape.ts';
import { cardHandler } from './card.ts';
import { oembedHandler } from './oembed.ts';
import { pagePartRoutes } from './page-parts.ts';
import { ViewerPages } from './viewer.ts';

const version: Parameter = {
  name: 'v',
  in: 'query',
  description: 'The number of a version. Default: the latest version.',
  schema: { type: 'integer', minimum: 1 },
};

const refusals = [['forbidden', 410], 'version_not_found'] as const;
const html = { 'text/html': { shape: textShape('An HTML document.') } };

/** Spec 4.5: what everybody can read of a drop. */
const docs = {
  view: {
    id: 'viewDrop',
    tag: 'Public pages',
    summary: 'Open the viewer page',
    description:
      'Shows the drop in a sandboxed frame, with its context behind a toggle. If the drop is locked, the page is a passcode form, also with status 200. A drop whose `access` is not `link` is 404 for a program, unless a bearer token is of an account that may read it; a browser gets a page that asks for a sign-in, with status 403.',
    parameters: [version],
    replies: [{ status: 200, description: 'The page, or its passcode form.', content: html }],
    refusals: [...refusals, 'forbidden'],
  },
  unlock: {
    id: 'unlockDrop',
    tag: 'Public pages',
    summary: 'Enter the passcode',
    description:
      'The form of a locked page. The cookie of the answer opens the viewer page and the raw page. Wrong passcodes are limited. The form must come from this service: `Origin` is its address.',
    parameters: [version],
    body: {
      required: true,
      form: {
        type: 'object',
        properties: { passcode: { type: 'string', description: 'The passcode of the drop.' } },
        required: ['passcode'],
      },
    },
    replies: [
      {
        status: 303,
        description: 'The passcode is right, or the page is not locked.',
        headers: ['Location'],
      },
    ],
    refusals: [
      ...refusals,
      'forbidden',
      ['passcode_required', 403],
      'rate_limited',
      ['invalid_arg', 413],
      ['invalid_arg', 415],
    ],
  },
  raw: {
    id: 'readRawPage',
    tag: 'Public pages',
    summary: 'Read the raw page',
    description:
      'The HTML as posted, sandboxed, with a style at the end of `<head>` and a viewport if it has none. If the drop is locked, the answer is 403: people open it in the viewer. A drop whose `access` is not `link` is 404, unless a bearer token is of an account that may read it.',
    parameters: [version],
    replies: [
      { status: 200, description: 'The page.', content: html, headers: ['ETag'] },
      { status: 304, description: 'The client has the current page.', headers: ['ETag'] },
    ],
    refusals: [...refusals, 'forbidden', ['passcode_required', 403]],
  },
} as const satisfies Record<string, Operation>;

/** The raw page in the description. It has no route: server/listener.ts answers it. */
export const rawPage = {
  method: 'GET',
  path: rawPath(':slug'),
  access: 'open',
  operation: docs.raw,
} as const;

export function pageRoutes(parts: RouteParts): readonly Route[] {
  const { services } = parts;
  const viewer = new ViewerPages(parts);
  return [
    openCall('GET', '/p/:slug', docs.view, (req, res) => viewer.show(req, res)),
    openCall('POST', '/p/:slug', docs.unlock, (req, res) => viewer.unlock(req, res)),
    ...pagePartRoutes(parts),
    open('GET', cardPath(':slug'), cardHandler(services)),
    open('GET', oembedPath, oembedHandler(services)),
  ];
}

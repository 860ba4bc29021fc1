import type { Operation, Parameter } from '../openapi/operation.ts';
import type { RequestSchemas } from '../openapi/requests.ts';
import { text } from '../openapi/shape.ts';

const version: Parameter = {
  name: 'v',
  in: 'query',
  description: 'The version number; default: the latest version.',
  schema: { type: 'integer', minimum: 1 },
  required: false,
};

const refusals = ['invalid_slug', 'not_found', ['forbidden', 410], 'version_not_found'] as const;
const html = { 'text/html': { shape: text('An HTML document.') } };

/** Spec 4.5: the public pages of a drop. */
export function pageOperations({ slug }: RequestSchemas) {
  return {
    view: {
      id: 'viewDrop',
      tag: 'Public pages',
      summary: 'The viewer page',
      description:
        'Shows the drop in a sandboxed frame, with its context behind a toggle. For a locked drop it shows a passcode form, also with status 200.',
      parameters: [slug, version],
      replies: [{ status: 200, description: 'The page or its passcode form.', content: html }],
      refusals,
    },
    raw: {
      id: 'readRawPage',
      tag: 'Public pages',
      summary: 'The raw page',
      description:
        'The HTML as posted, with a style at the end of `<head>` and, if it has none, a viewport meta element. The page is sandboxed. A locked drop answers 403; its passcode is entered in the viewer.',
      parameters: [slug, version],
      replies: [
        { status: 200, description: 'The page.', content: html, headers: ['ETag'] },
        { status: 304, description: 'The client already has this page.', headers: ['ETag'] },
      ],
      refusals: [...refusals, ['passcode_required', 403]],
    },
  } as const satisfies Record<string, Operation>;
}

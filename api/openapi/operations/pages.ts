import type { JsonSchema } from '../../presenters/shape.ts';
import type { RequestSchemas } from '../../requests/describe.ts';
import { type Operation, type Parameter, page, type RequestBody, redirect } from '../operation.ts';

const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The ETag of what the client has.',
  schema: { type: 'string' },
};

const version: Parameter = {
  name: 'v',
  in: 'query',
  description: 'Selects a version by its number; the latest without. What is no such number has none.',
  schema: { type: 'string', examples: ['1'] },
};

const grant: Parameter = {
  name: 'g',
  in: 'query',
  description: 'A grant, from the address in the frame of a locked page: opens that version until it ends.',
  schema: { type: 'string' },
};

const pass: Parameter = {
  name: 'dropleaf_pass',
  in: 'cookie',
  description: 'The passcode was entered: set by the form. On https its name begins with `__Secure-`.',
  schema: { type: 'string' },
};

const acceptEncoding: Parameter = {
  name: 'Accept-Encoding',
  in: 'header',
  description: 'Pages are sent as brotli, gzip or as they are.',
  schema: { type: 'string' },
};

export const conditional = [ifNoneMatch, acceptEncoding] as const;

/** What a browser says of where a form comes from: without either, or with another's, it is `forbidden`. */
export const formHeaders: readonly Parameter[] = [
  {
    name: 'Origin',
    in: 'header',
    description: 'The page that the form is on: that of this service, or the form is refused.',
    schema: { type: 'string' },
  },
  {
    name: 'Sec-Fetch-Site',
    in: 'header',
    description: 'Counts where there is no Origin: `same-origin`.',
    schema: { type: 'string' },
  },
];

/** What a form that cannot be read is answered. */
export const badForm = [
  ['invalid_arg', 413],
  ['invalid_arg', 415],
] as const;

/** A form of ours. Another kind of body has no fields. */
export function form(properties: Readonly<Record<string, JsonSchema>>, example: object): RequestBody {
  return {
    type: 'application/x-www-form-urlencoded',
    schema: { type: 'object', properties },
    example,
    required: false,
  };
}

const gone = ['not_found', ['forbidden', 410]] as const;

/** Spec 4.5: what anybody sees of a drop. */
export function pageOperations({ slug }: RequestSchemas) {
  return {
    view: {
      id: 'viewDrop',
      tag: 'Public pages',
      summary: 'The viewer page',
      description:
        'Shows the drop in a sandboxed frame, with its context behind a toggle; before a locked one the passcode form, also with 200.',
      parameters: [slug, version, pass],
      replies: [page('The page, or its passcode form.', { headers: ['Cache-Control'] })],
      refusals: ['invalid_slug', ...gone, 'version_not_found'],
    },
    unlock: {
      id: 'unlockDrop',
      tag: 'Public pages',
      summary: 'Enter the passcode',
      description: 'The form of the viewer page. What goes wrong is said on the form again.',
      limits: ['passcode_tries'],
      parameters: [slug, version, ...formHeaders],
      body: form({ passcode: { type: 'string' } }, { passcode: 'open sesame' }),
      replies: [redirect('Back to the page.', ['Cache-Control', '?Set-Cookie'])],
      refusals: [
        'invalid_slug',
        ...gone,
        'forbidden',
        ['passcode_required', 403],
        'rate_limited',
        ...badForm,
      ],
    },
    raw: {
      id: 'readRawPage',
      tag: 'Public pages',
      summary: 'The page itself',
      description:
        'The HTML as posted, with a style at the end of `<head>` and a viewport where it has none, sandboxed. A locked one needs the grant or the cookie.',
      parameters: [slug, version, grant, pass, ...conditional],
      isRawPage: true,
      replies: [
        page('The page.', {
          headers: ['Cache-Control', 'Vary', '?ETag', '?Cache-Tag', '?Surrogate-Key', '?Content-Encoding'],
        }),
        {
          status: 304,
          description: 'The client has it.',
          headers: ['Cache-Control', 'Vary', 'ETag', '?Cache-Tag', '?Surrogate-Key'],
        },
      ],
      refusals: ['invalid_slug', ...gone, 'version_not_found', ['passcode_required', 403]],
    },
  } as const satisfies Record<string, Operation>;
}

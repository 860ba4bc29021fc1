import type { DropError } from '../../shared/domain/errors.ts';
import { errorText } from './forms.ts';
import { type Html, html } from './html.ts';
import type { PageParts } from './layout.ts';

interface ErrorText {
  readonly title: string;
  readonly text: string;
  readonly next?: Html;
}

/** The page that shows an error to a person. */
export function errorPage(status: number, error: DropError): PageParts {
  const { title, text, next } = textFor(status, error);
  return {
    title,
    error,
    body: html`<p class="status">${status}</p>
<h1>${title}</h1>
<p>${text}</p>
${next}`,
    policy: { 'form-action': "'none'", 'frame-ancestors': "'self'" }, // the viewer's frame shows it when the raw page fails
  };
}

function textFor(status: number, error: DropError): ErrorText {
  const byCode = textByCode[`${status} ${error.code}`];
  if (byCode) return { ...byCode, ...linkTo(error.details?.url) };
  const { title, text } = textByStatus[status] ?? { title: 'Request failed' };
  return { title, text: errorText({ message: text ?? error.message, details: error.details }) };
}

/** `_top`, because the viewer's frame may show the error. */
function linkTo(url: unknown): Pick<ErrorText, 'next'> | undefined {
  if (typeof url !== 'string') return undefined;
  return { next: html`<p><a class="button" href="${url}" target="_top">Open the page</a></p>` };
}

const textByCode: Readonly<Record<string, ErrorText>> = {
  '404 version_not_found': {
    title: 'Version not found',
    text: 'This page exists, but not in this version. The owner may have deleted the version.',
    next: html`<p><a class="button" href="?">Show the latest version</a></p>`,
  },
  '400 invalid_slug': {
    title: 'Page not found',
    text: 'This address is not a valid page address. Check it for typing errors.',
  },
  '403 passcode_required': {
    title: 'Passcode required',
    text: 'This page is locked. Open the page and enter its passcode there.',
  },
  '410 forbidden': { title: 'Page removed', text: 'The operators of this service removed this page.' },
};

/** Without a text, the page shows the message of the error. */
const textByStatus: Readonly<Record<number, { title: string; text?: string }>> = {
  401: { title: 'Not signed in' },
  403: { title: 'Not allowed' },
  404: {
    title: 'Page not found',
    text: 'There is no page at this address. Check the address for typing errors. The page may also have been deleted.',
  },
  410: { title: 'Page removed', text: 'This page is no longer available.' },
  429: { title: 'Too many requests' },
  500: { title: 'Server error', text: 'The server failed and logged the error. Try again later.' },
  503: { title: 'Service unavailable', text: 'The service is overloaded or under maintenance.' },
};

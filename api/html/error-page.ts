import type { DropError } from '../../shared/domain/errors.ts';
import { errorText } from './forms.ts';
import { type Html, html } from './html.ts';
import type { PageParts } from './layout.ts';

interface ErrorText {
  readonly title: string;
  readonly text?: string;
  readonly next?: Html;
}

/** The page that shows an error to a person. */
export function errorPage(status: number, error: DropError): PageParts {
  const byCode = texts[`${status} ${error.code}`];
  const { title, text, next } = byCode ?? texts[status] ?? { title: 'Request failed' };
  const { details } = error;
  return {
    title,
    error,
    body: html`<p class="status">${status}</p>
<h1>${title}</h1>
<p>${errorText({ message: text ?? error.message, details })}</p>
${byCode && typeof details?.url === 'string' ? linkTo(details.url) : next}`,
    policy: { 'form-action': "'none'", 'frame-ancestors': "'self'" }, // the viewer's frame shows it when the raw page fails
  };
}

/** `_top`, because the viewer's frame may show the error. */
const linkTo = (url: string) => html`<p><a class="button" href="${url}" target="_top">Open the page</a></p>`;

/** By status and code, or by status. Without a text, the page shows the message of the error. */
const texts: Readonly<Record<string, ErrorText>> = {
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

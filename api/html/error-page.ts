import type { DropError } from '../../shared/domain/errors.ts';
import { slugPattern } from '../../shared/domain/ids.ts';
import { NoRight } from '../http/http-error.ts';
import { helpPath, ownerPath } from '../http/paths.ts';
import { errorText } from './forms.ts';
import { type Html, html } from './html.ts';
import type { PageParts } from './layout.ts';

interface ErrorText {
  readonly title: string;
  readonly text?: string;
  readonly next?: Html;
}

/** What the page leads to. */
export interface ErrorPlace {
  /** The service's own address: on the host of a drop, a path alone would lead to that drop. */
  readonly baseUrl: string;
  /** The path and query that were asked for. */
  readonly address: string;
}

/** The page that shows an error to a person. */
export function errorPage(status: number, error: DropError, place: ErrorPlace): PageParts {
  const isForSome = error instanceof NoRight;
  const byCode = texts[isForSome ? 'no right' : `${status} ${error.code}`];
  const { title, text, next } = byCode ?? texts[status] ?? { title: 'Request failed' };
  const { details } = error;
  const isUnknown = error.code === 'invalid_slug' || (status === 404 && byCode === undefined);
  return {
    title,
    error,
    body: html`<p class="status">${status}</p>
<h1>${title}</h1>
<p>${errorText({ message: text ?? error.message, details })}</p>
${byCode && typeof details?.url === 'string' ? linkTo(details.url, isForSome) : next}${(isUnknown || status === 410) && waysOn(place, isUnknown)}`,
    // The viewer's frame shows it when the raw page fails. Any site may embed a raw page, and then this page in its place.
    policy: { 'form-action': "'none'", 'frame-ancestors': isForSome ? '*' : "'self'" },
  };
}

/** `_top`, because the viewer's frame may show the error. A frame of another site stays: it may not lead the person away. */
const linkTo = (url: string, isInTab: boolean) =>
  html`<p><a class="button" href="${url}" ${isInTab ? html`target="_blank" rel="noopener"` : html`target="_top"`}>${isInTab ? 'Open in a tab' : 'Open the page'}</a></p>`;

/**
 * Of a drop it says all that may have happened, never which: a stranger learns nothing. The owner's page of the drop says more, and
 * a link leads there for everybody, so that no session is looked up.
 */
function waysOn({ baseUrl, address }: ErrorPlace, isUnknown: boolean): Html {
  const slug = /^\/(?:p|report)\/([^/?#]+)/.exec(address)?.[1];
  const link = (path: string, text: string) => html`<a href="${baseUrl + path}" target="_top">${text}</a>`;
  const start = html`<p><a class="button" href="${baseUrl}/" target="_top">Go to the start page</a></p>`;
  if (slug === undefined) return start;
  return html`<ul>
${isUnknown && html`<li>The address may have a typing error, or a part of it may be missing.</li>\n`}<li>The page may have expired, or its owner may have moved or deleted it.</li>
<li>The operators of this service may have taken it down.</li>
</ul>
<p>Ask the person who sent you the link for the right one.</p>
${start}
<p class="small"><a class="target" href="${baseUrl}${helpPath}#viewers" target="_top">What is this service?</a></p>${
    slugPattern.test(slug) &&
    html`
<p class="small">Is it your page? ${link(ownerPath(slug), 'Look it up in your drops')}</p>`
  }`;
}

/** By status and code, or by status. Without a text, the page shows the message of the error. */
const texts: Readonly<Record<string, ErrorText>> = {
  '404 version_not_found': {
    title: 'Version not found',
    text: 'This page exists, but not in this version, or not any more: the owner may have deleted the version.',
    next: html`<p><a class="button" href="?">Show the latest version</a></p>`,
  },
  '400 invalid_slug': {
    title: 'Page not found',
    text: 'There is no page at this address.',
  },
  '403 passcode_required': {
    title: 'Passcode required',
    text: 'This page is locked. Open the page and enter its passcode there.',
  },
  'no right': {
    title: 'Not everybody may read this page',
    text: 'Its owner has limited who may read it. Open it in a tab, where you can sign in.',
  },
  401: { title: 'Not signed in' },
  403: { title: 'Not allowed' },
  404: { title: 'Page not found', text: 'There is no page at this address.' },
  410: { title: 'Page removed', text: 'This page is no longer available.' },
  429: { title: 'Too many requests' },
  500: { title: 'Server error', text: 'The server failed and logged the error. Try again later.' },
  503: { title: 'Service unavailable', text: 'The service is overloaded or under maintenance.' },
};

import type { ErrorEnvelope } from '../http/http-error.ts';
import { envelopeData } from './envelope.ts';
import { type Html, html } from './html.ts';
import { page, policyOf } from './layout.ts';
import { waitText } from './wait.ts';

interface Words {
  readonly title: string;
  readonly text: string;
  readonly next?: Html;
}

/** An error as a person meets it: in words, with the envelope of spec section 7 beside them as data. */
export function errorPage(status: number, envelope: ErrorEnvelope): { html: string; csp: string } {
  const { title, text, next } = wordsFor(status, envelope);
  const error = page({
    title,
    head: envelopeData(envelope),
    css: errorStyle,
    body: html`<p class="status">${status}</p>
<h1>${title}</h1>
<p>${text}</p>
${next}`,
  });
  // A drop's frame shows it too.
  return { html: error.html, csp: policyOf(error, { 'frame-ancestors': "'self'" }) };
}

function wordsFor(status: number, { error }: ErrorEnvelope): Words {
  const byCode = wordsByCode[`${status} ${error.code}`];
  if (byCode) return { ...byCode, ...linkTo(error.details?.url) };
  const byStatus = wordsByStatus[status];
  if (byStatus) {
    const wait = waitText(error.details?.retry_after_seconds);
    return wait === null ? byStatus : { ...byStatus, text: `${byStatus.text} Try again in ${wait}.` };
  }
  return { title: 'That did not work', text: error.message };
}

/** Out of the frame, where this is shown in one. */
function linkTo(url: unknown): Pick<Words, 'next'> | undefined {
  if (typeof url !== 'string') return undefined;
  return { next: html`<p><a class="button" href="${url}" target="_top">Open the page</a></p>` };
}

const wordsByCode: Readonly<Record<string, Words>> = {
  '404 version_not_found': {
    title: 'No such version',
    text: 'The page does not have this version, or no longer.',
    next: html`<p><a class="button" href="?">Show the latest</a></p>`,
  },
  '400 invalid_slug': { title: 'Page not found', text: 'This is no address of a page. It may be mistyped.' },
  '403 passcode_required': {
    title: 'A passcode is needed',
    text: 'This page is locked. Its passcode is entered on the page itself.',
  },
  '410 forbidden': {
    title: 'This page was taken down',
    text: 'Those who run this service have taken it down, and it is not shown any more.',
  },
};

const wordsByStatus: Readonly<Record<number, Words>> = {
  403: { title: 'Not allowed', text: 'This request was refused.' },
  404: {
    title: 'Page not found',
    text: 'Nothing is published at this address. It may be mistyped, or the page was removed.',
  },
  410: { title: 'This page is gone', text: 'It is not shown any more.' },
  429: { title: 'Too many requests', text: 'This was asked for too often.' },
  500: {
    title: 'Something went wrong',
    text: 'The fault is ours, and it has been noted. Please try again later.',
  },
  503: { title: 'Not available right now', text: 'The service is busy or being looked after.' },
};

const errorStyle = `
.status { margin: 0 0 .25rem; color: var(--soft); font-size: .8125rem; font-weight: 600; letter-spacing: .06em; font-variant-numeric: tabular-nums; }
`;

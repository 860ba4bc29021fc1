import type { ErrorDetails } from '../../shared/domain/errors.ts';
import type { ErrorEnvelope } from '../http/http-error.ts';
import { type Html, html, raw } from './html.ts';
import type { PageParts } from './layout.ts';

interface ErrorText {
  readonly title: string;
  readonly text: string;
  readonly next?: Html;
}

/** The page that shows an error to a person. It contains the envelope of spec section 7 as data. */
export function errorPage(status: number, envelope: ErrorEnvelope): PageParts {
  const { title, text, next } = textFor(status, envelope);
  return {
    title,
    head: envelopeData(envelope),
    body: html`<p class="status">${status}</p>
<h1>${title}</h1>
<p>${text}</p>
${next}`,
    policy: { 'form-action': "'none'", 'frame-ancestors': "'self'" }, // the viewer's frame shows it when the raw page fails
  };
}

/** The envelope as data inside a page: an inert script element that no text can close. */
export function envelopeData(envelope: ErrorEnvelope): Html {
  const json = JSON.stringify(envelope).replaceAll('<', '\\u003c');
  return html`<script type="application/json" id="error">${raw(json)}</script>`;
}

/** An error message above a form. `fieldState` links the invalid field to it. */
export function formError(message: string | null | undefined): Html | null {
  return message ? html`<p class="notice bad" id="fault" role="alert">${message}</p>` : null;
}

/**
 * The attributes that link a field to its hint and, if the field is invalid, to the form's error. An invalid field gets the
 * focus, so that the keyboard is where the error is and a screen reader reads it.
 * @param takesFocus false for a second field of the same error
 */
export function fieldState(isInvalid: boolean, hintId?: string, takesFocus = true): Html | null {
  const ids = [isInvalid && 'fault', hintId].filter(Boolean).join(' ');
  if (ids === '') return null;
  const fault = isInvalid && html` aria-invalid="true"${takesFocus && html` autofocus`}`;
  return html` aria-describedby="${ids}"${fault}`;
}

/** The error's message as a sentence and, if the error says so, when to try again. */
export function errorText(error: { message: string; details?: ErrorDetails | undefined }): string {
  const { message, details } = error;
  const sentence = message.endsWith('.') ? message : `${message}.`;
  const wait = waitText(details?.retry_after_seconds);
  return wait === null ? sentence : `${sentence} Try again in ${wait}.`;
}

/**
 * A waiting time after "in": `42 seconds`, rounded up.
 * @param seconds the `retry_after_seconds` of an error's details
 * @returns null if the error has none
 */
export function waitText(seconds: unknown): string | null {
  if (typeof seconds !== 'number') return null;
  if (seconds <= 1) return 'a moment';
  if (seconds < 120) return `${Math.ceil(seconds)} seconds`;
  if (seconds < 7_200) return `${Math.ceil(seconds / 60)} minutes`;
  return `${Math.ceil(seconds / 3_600)} hours`;
}

function textFor(status: number, { error }: ErrorEnvelope): ErrorText {
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

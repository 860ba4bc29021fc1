import { DropError, type ErrorDetails } from '../../shared/domain/errors.ts';
import { presentError } from '../http/http-error.ts';
import { type Html, html, raw } from './html.ts';

/** The envelope of spec section 7 as data inside a page: an inert script element that no text can close. */
export function envelopeData(error: DropError): Html {
  const json = JSON.stringify(presentError(error)).replaceAll('<', '\\u003c');
  return html`<script type="application/json" id="error">${raw(json)}</script>`;
}

/** An error above a form. `fieldState` links the invalid field to it. */
export function formError(error: DropError | string | null | undefined): Html | null {
  const message = error instanceof DropError ? errorText(error) : error;
  return message ? html`<p class="notice bad" id="fault" role="alert">${message}</p>` : null;
}

/**
 * Links a field to its hint and, if it is invalid, to the form's error. An invalid field gets the focus: a screen reader reads both.
 * @param takesFocus false for a second field of the same error
 */
export function fieldState(isInvalid: boolean, hintId?: string, takesFocus = true): Html | null {
  const ids = [isInvalid && 'fault', hintId].filter(Boolean).join(' ');
  if (ids === '') return null;
  const fault = isInvalid && html` aria-invalid="true"${takesFocus && html` autofocus`}`;
  return html` aria-describedby="${ids}"${fault}`;
}

/** The error's message as a sentence and, if the error says so, when to try again. */
export function errorText({
  message,
  details,
}: {
  message: string;
  details?: ErrorDetails | undefined;
}): string {
  const sentence = message.endsWith('.') ? message : `${message}.`;
  const wait = waitText(details?.retry_after_seconds);
  return wait === null ? sentence : `${sentence} Try again in ${wait}.`;
}

export const expiryRule = 'The expiry must be a date and time in the future, at most 10 years ahead';

/** The API's messages begin with fields of JSON. Forms say the same, with the limits of the message. */
const words: readonly (readonly [api: RegExp, form: string])[] = [
  [/^expires_at.*/, expiryRule],
  [/^passcode is required.*/, 'Enter a passcode'],
  [/^passcode must be at (least|most) (\d+) .*/, 'A passcode has at $1 $2 characters'],
  [/^metadata must have at most (\d+) .*/, 'A drop has at most $1 tags'],
  [/^metadata keys/, 'The names of tags'],
  [/^metadata\.(\S+)/, 'The tag $1'],
  [/^(title|description|passcode|text|name)\b/, 'The $1'],
];

function wordsOf({ message }: { message: string }): string {
  return `${words.reduce((text, [api, form]) => text.replace(api, form), message)}.`;
}

/** What is wrong with a form, in its words. @param error of a refused change */
export function formFaultsOf(error: DropError) {
  const { details } = error;
  const faults: { field: string; message: string }[] = Array.isArray(details?.fields) ? details.fields : [];
  return {
    message: faults.length > 0 ? faults.map(wordsOf).join(' ') : errorText(error),
    /** Names of the API: `expires_at`, `metadata.key`. */
    fields: new Set(faults.map(({ field }) => field)),
  };
}

/** For `catch`: the same error in the words of a form, also for its script. */
export function throwInWords(error: unknown): never {
  if (!(error instanceof DropError) || !Array.isArray(error.details?.fields)) throw error;
  throw new DropError(error.code, formFaultsOf(error).message, error.details);
}

/** `42 seconds`, rounded up. @param seconds `retry_after_seconds` of an error's details @returns null if it has none */
export function waitText(seconds: unknown): string | null {
  if (typeof seconds !== 'number') return null;
  if (seconds <= 1) return 'a moment';
  if (seconds < 120) return `${Math.ceil(seconds)} seconds`;
  if (seconds < 7_200) return `${Math.ceil(seconds / 60)} minutes`;
  return `${Math.ceil(seconds / 3_600)} hours`;
}

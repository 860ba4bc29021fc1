import { make } from '../shared/make.ts';
import type { Answer } from './answer.ts';
import type { Renewal } from './token.ts';

/** Why a form was not sent, and what to do. */
type Fault = readonly (string | Node)[];

const shown = new WeakMap<HTMLFormElement, HTMLElement>();

/** @returns null if the answer is a page that speaks of the form */
export function faultOf({ status, isLate, page, error }: Answer, session: Renewal | null): Fault | null {
  if (isLate) return ['The service did not answer in time. Nothing here is lost: press the button again.'];
  if (status === 0)
    return [
      'There is no connection to the service. Nothing here is lost: press the button again when there is.',
    ];
  if (session === 'other')
    return [
      'Another account has signed in. Nothing here is lost: sign in as before in another tab, and press the button again.',
    ];
  if (status === 401 || session === 'ended')
    return ['You are signed out. Nothing here is lost: ', signInLink(), ', and press the button again.'];
  if (error?.code === 'rate_limited' && page !== null)
    return [`${textOf(page)} Nothing here is lost: press the button again then.`];
  if (error?.code === 'unavailable' && page !== null)
    return [`${textOf(page)} Nothing here is lost: press the button again later.`];
  if (page !== null && status < 500) return null;
  const what =
    status >= 500 ? 'The service cannot answer now' : 'Something else than the service has answered';
  return [`${what} (${status}). Nothing here is lost: press the button again later.`];
}

/** What a page of ours says that has no form. */
export function textOf(page: Document | null): string {
  const alerts = page?.querySelectorAll('main [role="alert"]') ?? [];
  const parts = alerts.length > 0 ? alerts : (page?.querySelectorAll('main h1, main h1 + p') ?? []);
  const sentences = [...parts].map(({ textContent }) => textContent?.trim().replace(/\s+/g, ' ') ?? '');
  return sentences.map((text) => (/[.?!]$/.test(text) ? text : `${text}.`)).join(' ');
}

/** In a new tab: this page has what was typed. */
function signInLink(): HTMLElement {
  // The pages of operators ask for a recent sign-in.
  const next = /^\/operators(?![^/])/.test(location.pathname) ? '/operators' : '/sign-in/ready';
  const href = `/sign-in/browser?next=${next}`;
  return make('a', { href, target: '_blank', rel: 'noopener' }, 'sign in in a new tab');
}

/** Beside the button, which keeps the focus. A screen reader says it at once. */
export function showNotice(form: HTMLFormElement, pressed: HTMLElement | null, fault: Fault): void {
  hideNotice(form);
  const notice = make('p', { className: 'notice bad beside', role: 'alert' }, ...fault);
  const row = pressed?.closest('.actions, .choices, .input-row') ?? pressed;
  const main = document.querySelector('main');
  if (!main?.contains(form))
    main?.prepend(notice); // the header has no room
  else if (row) row.after(notice);
  else form.append(notice);
  shown.set(form, notice);
}

export function hideNotice(form: HTMLFormElement): void {
  shown.get(form)?.remove();
}

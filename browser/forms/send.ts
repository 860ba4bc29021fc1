import { formEvents } from '../shared/form-events.ts';
import { type Answer, post } from './answer.ts';
import { faultOf, hideNotice, showNotice, textOf } from './notice.ts';
import { canBeShown, showPage } from './show.ts';
import { type Renewal, renewToken, tokenField } from './token.ts';
import { type Field, keepTyped, restoreTyped, textsOf, typedBeside } from './typed.ts';

type Pressed = HTMLButtonElement | null;

/** A form that the browser sends, such as a download, is not sent twice within this time. */
const repeatMs = 1_000;

interface Sent {
  readonly form: HTMLFormElement;
  readonly pressed: Pressed;
  readonly texts: ReadonlyMap<Field, string>;
}

/** Those whose answer has not come. */
const busy = new Map<HTMLFormElement, Sent>();

/** Sends every form that is posted, without leaving the page (docs/decisions/dashboard.md, Forms). */
export function startForms(): void {
  restoreTyped();
  document.addEventListener('submit', (event) => {
    const { target: form, submitter } = event;
    if (event.defaultPrevented || !(form instanceof HTMLFormElement)) return; // another script sends it
    const pressed = submitter instanceof HTMLButtonElement ? submitter : null;
    const isOurs = isSentHere(form, pressed);
    if (isOurs || busy.has(form)) event.preventDefault();
    if (busy.has(form)) return;
    const sent = begin(form, pressed);
    if (isOurs) void send(sent);
    else setTimeout(() => end(form), repeatMs);
  });
  // A browser that goes back can show the page as it was left.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) for (const form of busy.keys()) end(form);
  });
}

/** Of the button, or else of the form, whose properties can be hidden by fields of the same name. */
function attributeOf(form: HTMLFormElement, pressed: Pressed, name: string): string {
  return pressed?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? '';
}

/** A form that answers with a file, and one that waits for a sign-in (api/http/kept-forms.ts), lead to another document. */
function isSentHere(form: HTMLFormElement, pressed: Pressed): boolean {
  const target = attributeOf(form, pressed, 'target');
  return (
    attributeOf(form, pressed, 'method').toLowerCase() === 'post' &&
    (target === '' || target === '_self') &&
    form.dataset.answer !== 'file' &&
    form.querySelector('[name="kept_form"]') === null
  );
}

function begin(form: HTMLFormElement, pressed: Pressed): Sent {
  const sent = { form, pressed, texts: textsOf(form) };
  busy.set(form, sent);
  form.ariaBusy = 'true';
  if (pressed) pressed.ariaDisabled = 'true'; // one that is disabled loses the focus
  return sent;
}

function end(form: HTMLFormElement): void {
  const pressed = busy.get(form)?.pressed;
  busy.delete(form);
  form.ariaBusy = null;
  if (pressed) pressed.ariaDisabled = null;
}

async function send(sent: Sent): Promise<void> {
  const { form, pressed } = sent;
  hideNotice(form);
  const data = new FormData(form);
  if (pressed !== null && pressed.name !== '') data.append(pressed.name, pressed.value);
  const address = new URL(attributeOf(form, pressed, 'action') || location.href, location.href);
  const isMultipart = attributeOf(form, pressed, 'enctype') === 'multipart/form-data';
  const bodyOf = () => (isMultipart ? data : asPairs(data));
  let answer = await post(address, bodyOf());
  const isOutdated = answer.error?.details?.field === tokenField && data.has(tokenField);
  const renewal = isOutdated ? await renewToken(data) : null;
  if (renewal === 'renewed') answer = await post(address, bodyOf());
  if (answer.leadsTo === null) stay(sent, answer, renewal);
  else leave(sent, answer.leadsTo);
}

/** Shows the answer in place of the page, or what it says beside the button. */
function stay({ form, pressed, texts }: Sent, answer: Answer, renewal: Renewal | null): void {
  end(form);
  const { page } = answer;
  const fault = faultOf(answer, renewal);
  if (fault === null && page !== null && canBeShown(page, form, answer.status < 400))
    showPage(page, typedBeside(texts), pressed);
  else showNotice(form, pressed, fault ?? [textOf(page)]);
  const place = form.isConnected ? form : document;
  place.dispatchEvent(new Event(formEvents.refused, { bubbles: true }));
}

/** The form stays busy. The page is loaded, also if it is this one, and the address names another place of it. */
function leave({ form, texts }: Sent, path: string): void {
  keepTyped(typedBeside(texts), path);
  form.dispatchEvent(new Event(formEvents.sent, { bubbles: true }));
  const to = new URL(path, location.href);
  const { origin, pathname, search } = location;
  if (to.hash === '' || to.origin + to.pathname + to.search !== origin + pathname + search) {
    location.assign(to);
    return;
  }
  form.reset(); // Firefox keeps what is in the fields
  history.replaceState(history.state, '', to);
  location.reload();
}

/** As a browser encodes a form without files. */
function asPairs(data: FormData): URLSearchParams {
  const pairs = [...data].map(([name, value]) => [name, typeof value === 'string' ? value : value.name]);
  return new URLSearchParams(pairs);
}

// On the form of a drop and of a version: one document is chosen, shown and published without leaving the page; of several, each is published.
import { DocumentField } from './drops/document.ts';
import { type Refusal, upload } from './drops/upload.ts';
import { find } from './shared/find.ts';
import { make } from './shared/make.ts';
import { readPage } from './shared/read-page.ts';

const form = find<HTMLFormElement>('form[data-publish]');
const button = find<HTMLButtonElement>('[data-publish] button[type="submit"]');
const progress = find('[data-progress]');
const anyway = find('#anyway');

for (const element of document.querySelectorAll<HTMLElement>('[data-needs-script]')) element.hidden = false;
for (const element of document.querySelectorAll<HTMLElement>('[data-without-script]')) element.hidden = true;
new DocumentField(form, (message) =>
  message === null ? clearFault() : showFault({ message, field: 'html' }),
);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (!button.disabled) void publish(event.submitter);
});
// A browser that goes back shows the page as it was left.
window.addEventListener('pageshow', () => {
  button.disabled = false;
  progress.textContent = '';
});

/** Opens the page of the drop, or says why there is none. */
async function publish(pressed: HTMLElement | null): Promise<void> {
  button.disabled = true;
  const data = new FormData(form);
  if (pressed instanceof HTMLButtonElement && pressed.name !== '') data.set(pressed.name, pressed.value);
  clearFault();
  const outcome = await upload(form.action, data, (part) => {
    progress.textContent = part < 1 ? `${Math.round(part * 100)} %` : 'Publishing…';
  });
  if ('drop' in outcome) {
    const notice = outcome.drop.warnings?.length ? 'title_stays' : form.dataset.publish;
    return location.assign(`/drops/${outcome.drop.slug}?notice=${notice}`);
  }
  button.disabled = false;
  progress.textContent = '';
  if (outcome.refusal.isConflict) await showLive(form.action);
  if (outcome.refusal.risks) ask(outcome.refusal);
  else showFault(outcome.refusal);
}

/** Takes the version that is live, and the revision of the drop, from the page of the form as it is now. */
async function showLive(address: string): Promise<void> {
  const fresh = (await readPage(address))?.querySelectorAll('[data-renew]') ?? [];
  const old = document.querySelectorAll('[data-renew]');
  for (const [i, element] of fresh.entries()) old[i]?.replaceWith(element);
}

/** Below the button: the person looks at what may not be meant. */
function ask({ risks = [], answer = '' }: Refusal): void {
  find('#risks').replaceChildren(...risks.map((risk) => make('li', { className: 'wrap-anywhere' }, risk)));
  find<HTMLButtonElement>('#anyway button').value = answer;
  anyway.hidden = false;
  anyway.focus();
}

/** Beside the field, which gets the focus. */
function showFault({ message, field = '', isSignedOut }: Refusal): void {
  clearFault();
  const sentence = message.endsWith('.') ? message : `${message}.`;
  const text = make('p', { className: 'notice bad', id: 'fault', role: 'alert' }, sentence);
  if (isSignedOut) text.append(' ', signInLink());
  const input = fieldOf(field);
  if (input === null) {
    find('[data-details]').append(text); // below the button
    text.tabIndex = -1; // the button lost the focus when it was disabled
    text.focus();
    return;
  }
  input.before(text);
  input.setAttribute('aria-invalid', 'true');
  input.setAttribute('aria-describedby', `fault ${input.id}-hint`);
  input.focus();
}

/** In a new tab, because what was typed would be lost with this page. */
function signInLink(): HTMLElement {
  const text = 'Sign in in a new tab, and publish again here';
  return make('a', { href: '/sign-in/browser?next=/sign-in/ready', target: '_blank' }, text);
}

/** The field with the same id, unless the page names it otherwise. */
function fieldOf(field: string): HTMLElement | null {
  const [name = ''] = field.split('.');
  const ids: Readonly<Record<string, string>> = { html: 'file', metadata: 'tags', expires_at: 'expires' };
  const id = ids[name] ?? name;
  return id === '' ? null : form.querySelector<HTMLElement>(`#${CSS.escape(id)}`);
}

function clearFault(): void {
  form.querySelector('#fault')?.remove();
  anyway.hidden = true;
  for (const input of form.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid');
}

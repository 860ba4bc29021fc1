import { addResult } from './results.ts';
import { newKey, type Refusal, upload } from './upload.ts';

/** Publishes what the form has without leaving the page, so that another document can follow. */
export function startPublishForm(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-publish]');
  const button = form?.querySelector<HTMLButtonElement>('button[type="submit"]');
  const progress = form?.querySelector('[data-progress]');
  if (!form || !button || !progress) return;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!button.disabled) void publish();
  });

  async function publish(): Promise<void> {
    if (!form || !button || !progress) return;
    button.disabled = true;
    clearFault(form);
    const outcome = await upload(new FormData(form), (part) => {
      progress.textContent = part < 1 ? `${Math.round(part * 100)} %` : 'Publishing…';
    });
    button.disabled = false;
    progress.textContent = '';
    if ('refusal' in outcome) return showFault(form, outcome.refusal);
    form.reset();
    const key = form.querySelector<HTMLInputElement>('input[name="key"]');
    if (key) key.value = newKey();
    addResult(outcome.drop.title).succeed(outcome.drop);
    // The button lost the focus when it was disabled.
    document.querySelector<HTMLElement>('[data-uploads] li:last-child a')?.focus();
  }
}

/** As the page shows it without scripts (api/html/error-page.ts). */
function showFault(form: HTMLFormElement, { message, field = '', isSignedOut }: Refusal): void {
  const text = document.createElement('p');
  text.className = 'notice bad';
  text.id = 'fault';
  text.setAttribute('role', 'alert');
  text.textContent = message;
  if (isSignedOut) text.append(' ', signInLink());
  form.prepend(text);
  const input = fieldOf(form, field);
  if (input === null) {
    text.tabIndex = -1; // the button lost the focus when it was disabled
    text.focus();
    return;
  }
  input.setAttribute('aria-invalid', 'true');
  const more = input.closest('details');
  if (more) more.open = true;
  input.focus();
}

/** In a new tab, because what was pasted is lost with this page. */
function signInLink(): HTMLElement {
  const link = document.createElement('a');
  link.href = '/sign-in/browser?next=/drops/new';
  link.target = '_blank';
  link.textContent = 'Sign in and publish it in a new tab';
  return link;
}

function fieldOf(form: HTMLFormElement, field: string): HTMLElement | null {
  const names: Readonly<Record<string, string>> = { html: 'file', metadata: 'tags', expires_at: 'expires' };
  const [first = ''] = field.split('.');
  const found = form.elements.namedItem(names[first] ?? first);
  return found instanceof HTMLElement ? found : null;
}

function clearFault(form: HTMLFormElement): void {
  form.querySelector('#fault')?.remove();
  for (const input of form.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid');
}

// The page of a drop and its forms: the notice, times in the viewer's zone, and a passcode that can be looked at.
import { onMain } from './shared/form-events.ts';
import { make } from './shared/make.ts';

onMain(() => {
  for (const field of document.querySelectorAll<HTMLInputElement>('input[data-utc]')) showInOwnZone(field);
  for (const field of document.querySelectorAll<HTMLInputElement>('input[data-reveal]')) addReveal(field);
});
const closeNotice = document.querySelector('[data-close-notice]');
if (closeNotice !== null) startNotice(closeNotice);

/** Reloading does not say it again. */
function startNotice(close: Element): void {
  history.replaceState(history.state, '', location.pathname + location.hash);
  close.addEventListener('click', (event) => {
    event.preventDefault();
    close.parentElement?.remove();
  });
}

/** The server reads and writes UTC; the person sees and enters the time of their zone. */
function showInOwnZone(field: HTMLInputElement): void {
  if (field.value !== '') field.value = toLocal(field.value);
  field.form?.addEventListener('formdata', ({ formData }) => {
    if (field.value !== '') formData.set(field.name, new Date(field.value).toISOString().slice(0, 16));
  });
  const zone = field.form?.querySelector('[data-zone]');
  if (zone) zone.textContent = `(${Intl.DateTimeFormat().resolvedOptions().timeZone}, your time zone)`;
}

/** `2026-01-31T12:00` in UTC as the same moment in the viewer's zone. */
function toLocal(utc: string): string {
  const time = new Date(`${utc}Z`);
  if (Number.isNaN(time.getTime())) return utc;
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function addReveal(field: HTMLInputElement): void {
  const button = make('button', { type: 'button', className: 'quiet', ariaPressed: 'false' }, 'Show');
  button.setAttribute('aria-controls', field.id);
  button.addEventListener('click', () => {
    const isShown = field.type === 'password';
    field.type = isShown ? 'text' : 'password';
    button.ariaPressed = String(isShown);
  });
  field.after(button);
}

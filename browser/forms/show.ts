import { formEvents } from '../shared/form-events.ts';
import { type Field, putBack, type Typed } from './typed.ts';

/**
 * Whether nothing that a person has typed is lost if the page takes the place of this one: it has a form, or there is nothing.
 * @param isAccepted whether what was typed into the form has arrived
 */
export function canBeShown(page: Document, form: HTMLFormElement, isAccepted: boolean): boolean {
  const main = document.querySelector('main');
  if (main === null || !main.contains(form)) return false;
  if (page.querySelector('main form') !== null) return !hasOtherFiles(main, form);
  const fields = main.querySelectorAll<Field>('textarea, select, input:not([type="hidden"])');
  return [...fields].every((field) => isAccepted && field.form === form);
}

function hasOtherFiles(main: HTMLElement, form: HTMLFormElement): boolean {
  const inputs = main.querySelectorAll<HTMLInputElement>('input[type="file"]');
  return [...inputs].some((input) => input.form !== form && input.value !== '');
}

/**
 * The address and the history stay as they are. A page of another kind, such as that of a deleted account, has another header.
 * @param texts what was typed beside the form
 */
export function showPage(page: Document, texts: readonly Typed[], pressed: HTMLButtonElement | null): void {
  const [kind = ''] = page.body.classList;
  const fresh = page.querySelector('main');
  document.title = page.title;
  if (fresh !== null && document.body.classList.contains(kind))
    document.querySelector('main')?.replaceWith(fresh);
  else {
    document.body.className = kind;
    document.body.replaceChildren(...page.body.childNodes);
  }
  putBack(texts);
  document.dispatchEvent(new Event(formEvents.shown));
  focusFirst(pressed);
}

/** The first error; else the button that was pressed, if it is there again; else the heading. */
function focusFirst(pressed: HTMLButtonElement | null): void {
  const { name = '', value = '' } = pressed ?? {};
  const same = `main button[name="${CSS.escape(name)}"][value="${CSS.escape(value)}"]`;
  const selectors = [
    'main [autofocus]',
    'main [aria-invalid="true"]',
    'main [role="alert"]',
    same,
    'main h1',
  ];
  const found = selectors.map((selector) => document.querySelector<HTMLElement>(selector));
  const target = found.find((element) => element !== null);
  if (target === undefined || target === null) return;
  if (target.matches('h1, p')) target.tabIndex = -1;
  target.focus();
}

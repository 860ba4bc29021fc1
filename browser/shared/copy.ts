import { announce } from './announce.ts';
import { onMain } from './form-events.ts';

const shownMs = 2_000;

/** Shows the buttons that need this script, and copies the value of `data-copy` of the one that is clicked. */
export function startCopyButtons(): void {
  onMain(() => showCopyButtons(document));
  document.addEventListener('click', (event) => {
    if (!(event.target instanceof Element)) return;
    const button = event.target.closest<HTMLElement>('[data-copy]');
    if (button !== null) void copy(button);
  });
}

export function showCopyButtons(root: ParentNode): void {
  if (navigator.clipboard === undefined) return; // http on another host than this machine: the text can be selected
  for (const button of root.querySelectorAll<HTMLElement>('[data-copy]')) button.hidden = false;
}

async function copy(button: HTMLElement): Promise<void> {
  const done = await navigator.clipboard.writeText(button.dataset.copy ?? '').then(
    () => true,
    () => false,
  );
  announce(done ? 'Copied' : 'The browser did not allow copying');
  if (!done || button.dataset.label !== undefined) return;
  const label = button.textContent ?? '';
  button.dataset.label = label;
  button.textContent = 'Copied';
  setTimeout(() => {
    button.textContent = label;
    delete button.dataset.label;
  }, shownMs);
}

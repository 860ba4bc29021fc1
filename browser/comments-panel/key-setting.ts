/** In the storage of the viewer's origin. */
const name = 'dropleaf-key-c';

/** Whether the key `c` writes a comment. WCAG 2.1.4: who speaks to the computer, or presses keys by mistake, can turn it off. */
export function isKeyOn(): boolean {
  return storage()?.getItem(name) !== 'off';
}

/** Shows the setting in the page of comments. */
export function offerKeySetting(page: Document): void {
  const label = page.querySelector<HTMLLabelElement>('[data-key-setting]');
  const box = label?.querySelector('input');
  const kept = storage();
  if (label === null || box == null || kept === null) return;
  box.checked = isKeyOn();
  box.addEventListener('change', () => kept.setItem(name, box.checked ? 'on' : 'off'));
  label.hidden = false;
}

/** null: the browser keeps nothing for this site. */
function storage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null; // the reader has forbidden it
  }
}

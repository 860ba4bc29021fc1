/** Counts the selected drops, selects all of them, and allows deletion only if there is one. */
export function startSelection(): void {
  const form = document.querySelector<HTMLFormElement>('.drop-selection');
  const label = form?.querySelector<HTMLElement>('[data-select-all]');
  const all = label?.querySelector('input');
  const count = form?.querySelector('[data-selected]');
  const button = form?.querySelector<HTMLButtonElement>('button[type="submit"]');
  if (!form || !label || !all || !count || !button) return;
  const boxes = [...form.querySelectorAll<HTMLInputElement>('input[name="drop"]')];

  const show = () => {
    const selected = boxes.filter((box) => box.checked).length;
    all.checked = selected === boxes.length;
    all.indeterminate = selected > 0 && selected < boxes.length;
    count.textContent = selected === 0 ? '' : `${selected} selected`;
    button.disabled = selected === 0;
    form.classList.toggle('selecting', selected > 0);
  };
  all.addEventListener('change', () => {
    for (const box of boxes) box.checked = all.checked;
    show();
  });
  for (const box of boxes) box.addEventListener('change', show);
  // A browser that goes back restores the boxes after this script has run.
  window.addEventListener('pageshow', show);
  label.hidden = false;
  show();
}

const selectAll = '[data-select-all] > input';

/** Counts the selected drops, selects all of them, and allows deletion only if there is one. @returns counts again */
export function startSelection(): () => void {
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    if (target.matches(selectAll)) for (const box of boxes()) box.checked = target.checked;
    if (target.matches(selectAll) || target.name === 'drop') show();
  });
  // A browser that goes back restores the boxes after this script has run.
  window.addEventListener('pageshow', show);
  show();
  return show;
}

function boxes(): HTMLInputElement[] {
  return [...document.querySelectorAll<HTMLInputElement>('.drop-selection input[name="drop"]')];
}

function show(): void {
  const form = document.querySelector('.drop-selection');
  const all = form?.querySelector<HTMLInputElement>(selectAll);
  const count = form?.querySelector('[data-selected]');
  const button = form?.querySelector<HTMLButtonElement>('button[type="submit"]');
  if (!form || !all || !count || !button) return;
  const selected = boxes().filter((box) => box.checked).length;
  all.checked = selected === boxes().length;
  all.indeterminate = selected > 0 && !all.checked;
  count.textContent = selected === 0 ? '' : `${selected} selected`;
  button.disabled = selected === 0;
  form.classList.toggle('selecting', selected > 0);
}

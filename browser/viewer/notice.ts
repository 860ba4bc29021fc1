/** A link to another site, or a button. */
export type NoticeAction =
  | { readonly label: string; readonly href: string }
  | { readonly label: string; readonly run: () => void };

export interface Notice {
  /** A notice with the key of the one that is shown changes nothing. */
  readonly key: string;
  readonly text: string;
  readonly actions: readonly NoticeAction[];
}

let shown: { readonly key: string; readonly box: HTMLElement } | null = null;

/** Shows the notice in the page's live region, in place of the one before. It takes no focus. */
export function showNotice({ key, text, actions }: Notice): void {
  const region = document.querySelector('.notices');
  if (region === null || shown?.key === key) return;
  const box = document.createElement('div');
  box.className = 'toast';
  const message = document.createElement('p');
  message.textContent = text;
  const dismiss = button('Dismiss', () => hideNotice(key));
  dismiss.className = 'dismiss';
  box.append(message, ...actions.map(elementOf), dismiss);
  region.replaceChildren(box);
  shown = { key, box };
}

/** Removes the notice with that key, if it is shown. */
export function hideNotice(key: string): void {
  if (shown?.key !== key) return;
  shown.box.remove();
  shown = null;
}

function elementOf(action: NoticeAction): HTMLElement {
  if ('run' in action) return button(action.label, action.run);
  const link = document.createElement('a');
  link.textContent = action.label;
  link.href = action.href;
  link.target = '_blank';
  link.rel = 'noopener noreferrer nofollow';
  return link;
}

function button(label: string, run: () => void): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = label;
  made.addEventListener('click', run);
  return made;
}

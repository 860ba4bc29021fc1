import { make } from '../shared/make.ts';

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
  const dismiss = button('Dismiss', () => hideNotice(key));
  dismiss.className = 'dismiss';
  const box = make('div', { className: 'toast' }, make('p', {}, text), ...actions.map(elementOf), dismiss);
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
  const { href, label } = action;
  return make('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow' }, label);
}

function button(label: string, run: () => void): HTMLButtonElement {
  const made = make('button', { type: 'button' }, label);
  made.addEventListener('click', run);
  return made;
}

import { make } from './make.ts';

let region: HTMLElement | null = null;

/** Lets screen readers say the text, without moving the focus. */
export function announce(text: string): void {
  if (region === null) {
    region = make('p', { className: 'visually-hidden', role: 'status' });
    document.body.append(region);
  }
  const live = region;
  live.textContent = '';
  setTimeout(() => {
    live.textContent = text;
  }, 50); // a region that is new, or has the same text again, would not be read
}

import { showCopyButtons } from '../shared/copy.ts';
import { make } from '../shared/make.ts';
import type { Published } from './upload.ts';

/** One line of the list of published files. */
export interface Result {
  progress(part: number): void;
  succeed(drop: Published): void;
  fail(...why: (string | Node)[]): void;
}

/** Adds a line for the file to the list, which appears with its first line. */
export function addResult(name: string): Result {
  const section = document.querySelector<HTMLElement>('[data-uploads]');
  const title = make('strong', { className: 'wrap-anywhere' }, name);
  const bar = make('progress', { max: 1, ariaLabel: `Upload of ${name}` });
  const item = make('li', {}, title, bar);
  section?.querySelector('ul')?.append(item);
  if (section) section.hidden = false;

  return {
    progress(part) {
      bar.value = part;
    },
    succeed(drop) {
      const link = { href: `/drops/${drop.slug}`, className: 'wrap-anywhere' };
      item.replaceChildren(make('a', link, drop.title), addressLine(drop.url));
    },
    fail(...why) {
      item.replaceChildren(title, make('p', { className: 'small bad-text' }, ...why));
    },
  };
}

/** The address, and a button that copies it (shared/copy.ts). What the person has in the clipboard stays until they press it. */
function addressLine(url: string): HTMLElement {
  const button = make('button', { type: 'button', className: 'quiet small', hidden: true }, 'Copy');
  button.dataset.copy = url;
  const line = make('p', { className: 'copyable' }, make('code', {}, url), button);
  showCopyButtons(line);
  return line;
}

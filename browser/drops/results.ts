import type { Published } from './upload.ts';

/** One line of the list of published files. */
export interface Result {
  progress(part: number): void;
  succeed(drop: Published): void;
  fail(message: string): void;
}

/** Adds a line for the file to the list, which appears with its first line. */
export function addResult(name: string): Result {
  const section = document.querySelector<HTMLElement>('[data-uploads]');
  const item = document.createElement('li');
  const title = element('strong', name, 'wrap-anywhere');
  const bar = document.createElement('progress');
  bar.max = 1;
  bar.setAttribute('aria-label', `Upload of ${name}`);
  item.append(title, bar);
  section?.querySelector('ul')?.append(item);
  if (section) section.hidden = false;

  return {
    progress(part) {
      bar.value = part;
    },
    succeed(drop) {
      const link = element('a', drop.title, 'wrap-anywhere');
      link.href = `/drops/${drop.slug}`;
      item.replaceChildren(link, addressLine(drop.url));
    },
    fail(message) {
      item.replaceChildren(title, element('p', message, 'small bad-text'));
    },
  };
}

/** The address, already copied if the browser allows it, and a button that copies it (shared/copy.ts). */
function addressLine(url: string): HTMLElement {
  const line = element('p', '', 'copyable');
  const button = element('button', 'Copy', 'quiet small');
  button.type = 'button';
  button.dataset.copy = url;
  line.append(element('code', url, ''), button);
  if (navigator.clipboard === undefined) button.hidden = true;
  else
    navigator.clipboard.writeText(url).then(
      () => line.append(element('span', 'Address copied', 'small soft')),
      () => undefined, // too long after the person's last action: the button is there
    );
  return line;
}

function element<T extends keyof HTMLElementTagNameMap>(
  name: T,
  text: string,
  className: string,
): HTMLElementTagNameMap[T] {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

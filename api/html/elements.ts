import { type Fragment, type Html, html, visible } from './html.ts';

/** What the last form has done: `?notice=deleted`. @param key in the query; unknown ones show nothing @param texts by key */
export function noticeFor(key: unknown, texts: Readonly<Record<string, string | Html>>): Html | null {
  if (typeof key !== 'string' || !Object.hasOwn(texts, key)) return null;
  return html`<p class="notice" role="status">${texts[key]}</p>`;
}

/** A button that copies the text. It stays hidden without the shared script (browser/shared/copy.ts). */
export function copyButton(text: string, label = 'Copy'): Html {
  return html`<button type="button" class="quiet small" data-copy="${text}" hidden>${label}</button>`;
}

/** A button that opens a menu, which is a popover: it needs no script. @param id of the menu @param links and buttons @param shown on the button */
export function menu(id: string, label: string, links: Fragment, shown: Fragment = '⋯'): Html {
  return html`<button type="button" class="quiet small" popovertarget="${id}" aria-label="${label}">${shown}</button>
<div class="menu" popover id="${id}">${links}</div>`;
}

/** The text is UTC; browser/shared/times.ts shows the viewer's zone. @param options.relative shows `3 hours ago` */
export function timeTag(ms: number, { relative = false }: { relative?: boolean } = {}): Html {
  const iso = new Date(ms).toISOString();
  const date = iso.slice(0, 10);
  const time = iso.slice(11, 19);
  return html`<time datetime="${iso}" title="${date} ${time} UTC"${relative && html` data-relative`}>${date} ${time.slice(0, 5)} UTC</time>`;
}

export function timeAgo(ms: number): Html {
  return timeTag(ms, { relative: true });
}

/** Links to the neighbours of a page of a list. @param hrefOf the address of the page with that number */
export function pagination(
  page: number,
  last: number,
  hrefOf: (page: number) => string,
  [previous, next] = ['Previous', 'Next'],
): Html | null {
  if (last < 2) return null;
  const link = (to: number, rel: string, text: string | undefined) =>
    html`<a class="button quiet small" rel="${rel}" href="${hrefOf(to)}">${text}</a>`;
  return html`<nav class="pagination" aria-label="Pages">${page > 1 && link(page - 1, 'prev', previous)}
<span class="number">Page ${page} of ${last}</span>
${page < last && link(page + 1, 'next', next)}</nav>`;
}

/** The way back, from the outermost page on. @param links the last may be cut, because it is a title */
export function breadcrumb(...links: readonly (readonly [href: string, text: Fragment])[]): Html {
  return html`<nav class="crumbs" aria-label="Breadcrumb">${links.map(
    ([href, text], i) => html`<a${i > 0 && html` class="clip"`} href="${href}">${text}</a>`,
  )}</nav>`;
}

/** A row of a list of facts, which is a `dl`. */
export function fact(name: string, value: Fragment): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** Instead of a value that is not there. */
export function soft(text: string): Html {
  return html`<span class="soft">${text}</span>`;
}

export function labelOf(label: string | null): Html {
  return label ? visible(label) : soft('No label');
}

/** A table, of which a narrow window shows each row as a list. @param heads names of columns, or their cells */
export function stackedTable(heads: readonly (string | Html)[], rows: Fragment): Html {
  return html`<div class="table-wrap"><table class="table stacked">
<thead><tr>${heads.map((head) => (typeof head === 'string' ? html`<th scope="col">${head}</th>` : head))}</tr></thead>
<tbody>
${rows}</tbody>
</table></div>`;
}

/** `1 view`, `1,200 views`. */
export function countOf(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `1,200` */
export function numberText(value: number): string {
  return value.toLocaleString('en');
}

const kb = 1024;

/** `812 bytes`, `1.5 KB`, `12 KB`, `1.9 MB`, for people. */
export function sizeText(bytes: number): string {
  if (bytes < kb) return countOf(bytes, 'byte');
  return bytes < 999.5 * kb ? `${rounded(bytes / kb)} KB` : `${rounded(bytes / kb / kb)} MB`;
}

/** With one decimal below 10. */
function rounded(value: number): string {
  return value < 9.95 ? value.toFixed(1).replace('.0', '') : value.toFixed(0);
}

import { type Html, html } from './html.ts';

/** Links to the neighbours of a page of a list. @param hrefOf the address of the page with that number */
export function pagination(page: number, last: number, hrefOf: (page: number) => string): Html | null {
  if (last < 2) return null;
  const link = (to: number, rel: string, text: string) =>
    html`<a class="button quiet small" rel="${rel}" href="${hrefOf(to)}">${text}</a>`;
  return html`<nav class="pagination" aria-label="Pages">${page > 1 && link(page - 1, 'prev', 'Previous')}
<span class="number">Page ${page} of ${last}</span>
${page < last && link(page + 1, 'next', 'Next')}</nav>`;
}

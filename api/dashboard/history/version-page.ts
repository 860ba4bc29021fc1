import type { Drop, OwnedVersion } from '../../../shared/domain/drop.ts';
import { type Html, html } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { countOf } from '../../html/quantity.ts';
import type { Preview } from '../../pages/frame.ts';
import { crumbs } from './confirmation-page.ts';
import { historyPaths } from './paths.ts';
import { type HistoryData, versionFacts, versionList } from './section.ts';

/** GET /drops/{slug}/v/{n}: one version with its context. */
export function versionPage(data: {
  readonly drop: Drop;
  readonly version: OwnedVersion;
  /** How many versions the drop has. */
  readonly total: number;
  /** null: the drop was taken down. */
  readonly preview: Preview | null;
  /** Sanitized markup; null: none. */
  readonly context: Html | null;
  readonly formField: Html;
}): PageParts {
  const { drop, version, total, preview, context, formField } = data;
  const { number } = version;
  const paths = historyPaths(drop.slug);
  const isLive = number === drop.latestVersion;
  const mayChange = drop.takedown === null;
  return {
    title: `Version ${number}`,
    styles: ['history'],
    ...(preview && { policy: { 'frame-src': preview.source } }),
    body: html`${crumbs(drop)}
<div class="page-head"><div><h1>Version ${number}${isLive && html` <span class="badge good">Live</span>`}</h1>
${versionFacts(version)}</div>
<form class="actions" method="post">${formField}<input type="hidden" name="if_match" value="${drop.rev}">
${total > 1 && html`<a class="button quiet small" href="${paths.compare}${isLive ? '' : `?from=${number}`}">Compare</a>`}
<a class="button quiet small" href="${paths.html(number)}" download>Download</a>
${mayChange && !isLive && html`<button class="quiet small" formaction="${paths.restore(number)}">Restore</button>`}
${mayChange && total > 1 && html`<a class="button danger quiet small" href="${paths.removeVersion(number)}">Delete</a>`}
</form></div>
${
  preview === null
    ? html`<p class="notice bad">The operators of this service took the page down, so it cannot be shown. You can download it.</p>`
    : html`<iframe class="version-frame" src="${preview.src}" title="Version ${number}" sandbox="${preview.sandbox}" referrerpolicy="no-referrer"></iframe>`
}
${context && html`<section class="panel" aria-labelledby="context-title"><h2 id="context-title">Context</h2><div class="context-text">${context}</div></section>`}`,
  };
}

/** GET /drops/{slug}/history: all versions, a page at a time. */
export function historyPage(
  drop: Drop,
  {
    versions,
    page,
    pages,
    total,
    formField,
  }: Pick<HistoryData, 'versions' | 'formField'> & {
    readonly page: number;
    readonly pages: number;
    readonly total: number;
  },
): PageParts {
  const link = (to: number, rel: 'prev' | 'next', text: string) =>
    to >= 1 && to <= pages && html`<a class="button quiet small" rel="${rel}" href="?page=${to}">${text}</a>`;
  return {
    title: 'History',
    styles: ['history'],
    body: html`${crumbs(drop)}
<div class="page-head"><div><h1>History</h1><p class="soft clip">${countOf(total, 'version')}</p></div>
${total > 1 && html`<a class="button quiet" href="${historyPaths(drop.slug).compare}">Compare versions</a>`}</div>
<section class="panel history">${versionList({ drop, versions, formField }, total)}</section>
${pages > 1 && html`<nav class="pagination" aria-label="Pages">${link(page - 1, 'prev', 'Newer')}<span>Page ${page} of ${pages}</span>${link(page + 1, 'next', 'Older')}</nav>`}`,
  };
}

import type { Config } from '../../../shared/config/config.ts';
import type { DropError } from '../../../shared/domain/errors.ts';
import { searchMaxCharacters } from '../../../shared/drops/search.ts';
import { fieldState, formError } from '../../html/forms.ts';
import { type Html, html, visible } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { countOf, noticeFor, pagination } from '../../html/parts.ts';
import { queryOf } from '../../http/parameters.ts';
import { dashboardPaths, newDropPath, servicePaths } from '../../http/paths.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { orAgain } from '../../http/show.ts';
import { dropTarget } from '../new/drop.ts';
import { dashboardPages } from '../pages.ts';
import {
  createAddressReader,
  isFiltered,
  type ListAddress,
  listHref,
  pageSize,
  parametersOf,
  type Sort,
  sorts,
  tagsWithout,
  toDropQuery,
  type View,
  views,
} from './address.ts';
import { deletionRoutes } from './delete.ts';
import { dropItems, type ListedDrop } from './items.ts';

const notices = {
  deleted: 'The drop was deleted.',
  'deleted-several': 'The drops were deleted.',
  'none-selected': 'No drop was selected. Select those that you want to delete.',
};

/** The days of the small lines of views. */
const sparklineDays = 30;

interface ListPage {
  readonly address: ListAddress;
  readonly listed: readonly ListedDrop[];
  /** Drops that match, on all pages. */
  readonly total: number;
  readonly notice?: unknown;
  /** The hidden field for forms of the session: dropped files are sent by a script. */
  readonly formField: Html;
  /** A search that is not valid, as typed, and why. */
  readonly invalid?: { readonly words: string; readonly error: DropError };
}

/** /drops: what an owner has published. */
export function listRoutes(parts: RouteParts): readonly Route[] {
  const { drops, viewStats, config } = parts.services;
  const { page } = dashboardPages(parts, 'drops');
  const readAddress = createAddressReader(config);

  const list = page(dashboardPaths.drops, (req, _, { caller, formField }) => {
    const query = queryOf(req);
    const show = async () => {
      const address = readAddress(query);
      const { drops: found, total } = await drops.list(caller, toDropQuery(address));
      const lastPage = Math.max(1, Math.ceil(total / pageSize));
      if (address.page > lastPage) return listHref(address, { page: lastPage }); // its drops were deleted
      const recent = await viewStats.readRecent(found, sparklineDays);
      const listed = found.map((drop) => ({ drop, recentViews: recent.get(drop.id) ?? [] }));
      return listPage({ address, listed, total, notice: query.notice, formField }, config);
    };
    return orAgain(req, show, (error) => {
      const invalid = { words: typeof query.q === 'string' ? query.q : '', error };
      return listPage({ address: readAddress({}), listed: [], total: 0, formField, invalid }, config);
    });
  });
  return [list, ...deletionRoutes(parts)];
}

function listPage(parts: ListPage, config: Config): PageParts {
  const { address, total, notice, formField, invalid } = parts;
  const isEmpty = total === 0 && !isFiltered(address) && invalid === undefined;
  return {
    title: 'Drops',
    styles: ['drops'],
    scripts: ['drops'],
    policy: { 'connect-src': "'self'" },
    error: invalid?.error,
    body: html`${noticeFor(notice, notices)}
<div class="page-head"><div><h1>Drops</h1><p class="soft">${isEmpty ? 'Pages that you publish appear here.' : `${countOf(total, 'drop')}${isFiltered(address) ? ' found' : ''}`}</p></div>
${!isEmpty && html`<div class="actions"><a class="button" href="${newDropPath}">New drop</a></div>`}</div>
${dropTarget(formField, config)}
${isEmpty ? nothingYet(config) : html`${searchForm(parts)}\n${results(parts, config)}`}`,
  };
}

function searchForm({ address, invalid }: ListPage): Html {
  const current = (isCurrent: boolean) => isCurrent && html` aria-current="true"`;
  const sortLinks = (Object.keys(sorts) as Sort[]).map(
    (sort) =>
      html`<a class="small sort" href="${listHref(address, { sort })}"${current(sort === address.sort)}>${sorts[sort].name}</a>`,
  );
  const viewLinks = (Object.keys(views) as View[]).map(
    (view) =>
      html`<a href="${listHref(address, { view, page: address.page })}"${current(view === address.view)}>${views[view]}</a>`,
  );
  const hidden = parametersOf({ ...address, words: '', page: 1 });
  return html`<search><form method="get" action="/drops" class="drop-search">
${formError(invalid?.error)}
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<label for="q">Search in titles, descriptions and tags</label>
<div class="input-row"><input id="q" name="q" type="search" value="${invalid?.words ?? address.words}" maxlength="${searchMaxCharacters}" autocomplete="off" spellcheck="false"${fieldState(invalid !== undefined)}><button type="submit">Search</button></div>
</form></search>
${isFiltered(address) && activeFilters(address)}
<div class="row between drop-tools"><nav class="row" aria-label="Order">${sortLinks}</nav>
<nav class="segments" aria-label="Layout">${viewLinks}</nav></div>`;
}

function activeFilters(address: ListAddress): Html {
  const { words, tags } = address;
  const filters = [
    ...(words === '' ? [] : [{ text: `“${words}”`, without: { words: '' } }]),
    ...tags.map((tag) => ({ text: tag.join(': '), without: { tags: tagsWithout(address, tag) } })),
  ];
  return html`<div class="row drop-filters"><span class="small soft" id="filters">Only drops with</span>
<ul class="tags" aria-labelledby="filters">${filters.map(
    ({ text, without }) =>
      html`<li><a class="tag" aria-current="true" href="${listHref(address, without)}"><span class="visually-hidden">Remove the filter </span>${visible(text)}<span aria-hidden="true">×</span></a></li>`,
  )}</ul>${filters.length > 1 && html`<a class="small" href="${listHref(address, { words: '', tags: [] })}">Remove all</a>`}</div>`;
}

function results({ address, listed, total, invalid }: ListPage, config: Config): Html | null {
  if (invalid !== undefined) return null;
  if (total === 0) return nothingFound(address);
  return html`<form method="get" action="/drops/delete" class="drop-selection">
<input type="hidden" name="back" value="${listHref(address, { page: address.page })}">
${dropItems(listed, address, config.BASE_URL)}
<div class="selection-bar row"><label class="choice" data-select-all hidden><input type="checkbox"><span>Select all on this page</span></label>
<span class="small soft" data-selected role="status"></span>
<button type="submit" class="quiet small danger">Delete selected…</button></div>
</form>
${pagination(address.page, Math.ceil(total / pageSize), (to) => listHref(address, { page: to }))}`;
}

function nothingFound(address: ListAddress): Html {
  return html`<section class="empty"><h2>Nothing found</h2>
<p>No drop has all of this. A search finds words, or parts of words, in titles, descriptions and tags; a chosen tag must match exactly.</p>
<p><a class="button quiet" href="${listHref(address, { words: '', tags: [] })}">Show all drops</a></p></section>`;
}

function nothingYet({ BASE_URL }: Config): Html {
  return html`<section class="empty"><h2>Publish your first page</h2>
<p>A drop is one HTML document at an address that you can share. <span data-needs-script hidden>Drop a file anywhere on this page, or choose</span><span data-without-script>Choose</span> one:</p>
<p><a class="button" href="${newDropPath}">New drop</a></p>
<p>From a terminal, with Node:</p>
<pre><code>curl -fsSO ${BASE_URL}${servicePaths.client}
node cli.mjs publish page.html</code></pre>
<p>With curl and a token from <a href="/account">your account</a>:</p>
<pre><code>curl -sS --fail-with-body --data-binary @page.html \\
  -H 'Content-Type: text/html' \\
  -H "Authorization: Bearer $DROPLEAF_TOKEN" \\
  ${BASE_URL}/api/drops</code></pre>
<p class="small soft">Agents read <a href="${servicePaths.onboarding}">the agent protocol</a>, or connect to <code>${BASE_URL}${servicePaths.mcp}</code>.</p></section>`;
}

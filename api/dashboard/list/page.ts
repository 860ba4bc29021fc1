import type { Config } from '../../../shared/config/config.ts';
import { searchMaxCharacters } from '../../../shared/domain/search.ts';
import { metadataPrefix } from '../../drops/list-query.ts';
import { envelopeData, errorText, fieldState, formError } from '../../html/error-page.ts';
import { type Html, html, visible } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { noticeFor } from '../../html/notice.ts';
import { pagination } from '../../html/pagination.ts';
import { countOf } from '../../html/quantity.ts';
import type { ErrorEnvelope } from '../../http/http-error.ts';
import { servicePaths } from '../../http/paths.ts';
import { dropTarget } from '../new/page.ts';
import {
  isFiltered,
  type ListAddress,
  listHref,
  pageSize,
  type Sort,
  sorts,
  type View,
  views,
} from './address.ts';
import { dropItems, type ListedDrop } from './items.ts';

const notices = {
  deleted: 'The drop was deleted.',
  'deleted-several': 'The drops were deleted.',
  'none-selected': 'No drop was selected. Select those that you want to delete.',
};

export interface ListPage {
  readonly address: ListAddress;
  readonly listed: readonly ListedDrop[];
  /** Drops that match, on all pages. */
  readonly total: number;
  readonly notice: unknown;
  /** The hidden field for forms of the session: dropped files are sent by a script. */
  readonly formField: Html;
  /** A search that is not valid, as typed, and why. */
  readonly refused?: { readonly words: string; readonly envelope: ErrorEnvelope };
}

/** GET /drops */
export function listPage(parts: ListPage, config: Config): PageParts {
  const { address, total, notice, formField } = parts;
  const isEmpty = total === 0 && !isFiltered(address) && parts.refused === undefined;
  return {
    title: 'Drops',
    styles: ['drops'],
    scripts: ['drops'],
    policy: { 'connect-src': "'self'" },
    ...(parts.refused && { head: envelopeData(parts.refused.envelope) }),
    body: html`${noticeFor(notice, notices)}
<div class="page-head"><div><h1>Drops</h1><p class="soft">${isEmpty ? 'Pages that you publish appear here.' : found(parts)}</p></div>
${!isEmpty && html`<div class="actions"><a class="button" href="/drops/new">New drop</a></div>`}</div>
${dropTarget(formField, config)}
${isEmpty ? nothingYet(config) : html`${searchForm(parts)}\n${results(parts, config)}`}`,
  };
}

function found({ address, total }: ListPage): string {
  return isFiltered(address) ? `${countOf(total, 'drop')} found` : countOf(total, 'drop');
}

function searchForm({ address, refused }: ListPage): Html {
  const hidden: (readonly [string, string])[] = [
    ...address.tags.map(([key, value]) => [metadataPrefix + key, value] as const),
    ...(address.sort === 'newest' ? [] : [['sort', address.sort] as const]),
    ...(address.view === 'gallery' ? [] : [['view', address.view] as const]),
  ];
  return html`<search><form method="get" action="/drops" class="drop-search">
${formError(refused && errorText(refused.envelope.error))}
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<label for="q">Search in titles and descriptions</label>
<div class="input-row"><input id="q" name="q" type="search" value="${refused?.words ?? address.words}" maxlength="${searchMaxCharacters}" autocomplete="off" spellcheck="false"${fieldState(refused !== undefined)}><button type="submit">Search</button></div>
</form></search>
${isFiltered(address) && activeFilters(address)}
<div class="row between drop-tools"><nav class="row" aria-label="Order">${(Object.keys(sorts) as Sort[]).map((sort) => sortLink(sort, address))}</nav>
<nav class="segments" aria-label="Layout">${(Object.keys(views) as View[]).map((view) => viewLink(view, address))}</nav></div>`;
}

function activeFilters(address: ListAddress): Html {
  const { words, tags } = address;
  const filters = [
    ...(words === '' ? [] : [{ text: `“${words}”`, without: { words: '' } }]),
    ...tags.map(([key, value]) => ({
      text: `${key}: ${value}`,
      without: { tags: tags.filter(([name, text]) => name !== key || text !== value) },
    })),
  ];
  return html`<div class="row drop-filters"><span class="small soft" id="filters">Only drops with</span>
<ul class="tags" aria-labelledby="filters">${filters.map(
    ({ text, without }) =>
      html`<li><a class="tag" aria-current="true" href="${listHref(address, without)}"><span class="visually-hidden">Remove the filter </span>${visible(text)}<span aria-hidden="true">×</span></a></li>`,
  )}</ul>${filters.length > 1 && html`<a class="small" href="${listHref(address, { words: '', tags: [] })}">Remove all</a>`}</div>`;
}

function sortLink(sort: Sort, address: ListAddress): Html {
  const current = sort === address.sort && html` aria-current="true"`;
  return html`<a class="small sort" href="${listHref(address, { sort })}"${current}>${sorts[sort].name}</a>`;
}

function viewLink(view: View, address: ListAddress): Html {
  const current = view === address.view && html` aria-current="true"`;
  return html`<a href="${listHref(address, { view, page: address.page })}"${current}>${views[view]}</a>`;
}

function results({ address, listed, total, refused }: ListPage, config: Config): Html {
  if (refused !== undefined) return html``;
  if (total === 0) return nothingFound(address);
  return html`<form method="get" action="/drops/delete" class="drop-selection">
<input type="hidden" name="back" value="${listHref(address, { page: address.page })}">
${dropItems(listed, address, config.BASE_URL)}
<div class="selection-bar row"><label class="choice" data-select-all hidden><input type="checkbox"><span>Select all on this page</span></label>
<span class="small soft" data-selected role="status"></span>
<button type="submit" class="quiet small danger">Delete selected…</button></div>
</form>
${pages(address, total)}`;
}

function pages(address: ListAddress, total: number): Html | null {
  return pagination(address.page, Math.ceil(total / pageSize), (page) => listHref(address, { page }));
}

function nothingFound(address: ListAddress): Html {
  return html`<section class="empty"><h2>Nothing found</h2>
<p>No drop has all of this. A search finds words, or parts of words, in titles and descriptions; a tag must match exactly.</p>
<p><a class="button quiet" href="${listHref(address, { words: '', tags: [] })}">Show all drops</a></p></section>`;
}

function nothingYet({ BASE_URL }: Config): Html {
  return html`<section class="empty"><h2>Publish your first page</h2>
<p>A drop is one HTML document at an address that you can share. <span data-needs-script hidden>Drop a file anywhere on this page, or choose</span><span data-without-script>Choose</span> one:</p>
<p><a class="button" href="/drops/new">New drop</a></p>
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

import type { Config } from '../../../shared/config/config.ts';
import type { DropError } from '../../../shared/domain/errors.ts';
import type { Drop } from '../../../shared/drops/drop.ts';
import type { TagCount } from '../../../shared/drops/drop-query.ts';
import { searchMaxCharacters } from '../../../shared/drops/search.ts';
import { countOf, menu, noticeFor, pagination } from '../../html/elements.ts';
import { fieldState, formError } from '../../html/forms.ts';
import { type Html, html, visible } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { queryOf } from '../../http/parameters.ts';
import { dashboardPaths, newDropPath, servicePaths } from '../../http/paths.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { orAgain } from '../../http/show.ts';
import { createPreviews, previewsSource, thumbnailSandbox } from '../../pages/frame.ts';
import { countText } from '../comments/comment-labels.ts';
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
  tagFilter,
  toDropQuery,
  type View,
  views,
} from './address.ts';
import { deletionRoutes } from './delete.ts';
import { dropItems, type ListedDrop } from './items.ts';
import { createChoices } from './list-cookie.ts';

const notices = {
  deleted: 'The drop was deleted.',
  'deleted-several': 'The drops were deleted.',
  'none-selected': 'No drop was selected. Select those that you want to delete.',
};

/** Tags in the menu. */
const tagsCounted = 20;

/** The days of the small lines of views. */
const sparklineDays = 30;

interface ListParts {
  readonly address: ListAddress;
  readonly listed: readonly ListedDrop[];
  /** Drops that match, on all pages. */
  readonly total: number;
  /** The most frequent tags of all drops. */
  readonly tags: readonly TagCount[];
  readonly notice?: unknown;
  /** The hidden field for forms of the session: dropped files are sent by a script. */
  readonly formField: Html;
  /** A search that is not valid, as typed, and why. */
  readonly invalid?: { readonly words: string; readonly error: DropError };
}

/** /drops: what an owner has published. */
export function listRoutes(parts: RouteParts): readonly Route[] {
  const { drops, viewStats, comments, config } = parts.services;
  const pages = dashboardPages(parts, 'drops');
  const readAddress = createAddressReader(config);
  const choices = createChoices(config);
  const findPreview = createPreviews(parts.services, thumbnailSandbox);

  const list = pages.page(dashboardPaths.drops, (req, res, { caller, formField, readInbox }) => {
    const query = queryOf(req);
    const show = async () => {
      const address = choices.write(res, readAddress(query, choices.read(req)));
      const { drops: found, total } = await drops.list(caller, toDropQuery(address));
      const lastPage = Math.max(1, Math.ceil(total / pageSize));
      if (address.page > lastPage) return listHref(address, { page: lastPage }); // its drops were deleted
      const previewOf = (drop: Drop) => (address.view === 'gallery' ? findPreview(caller, drop.slug) : null);
      const [recent, counts, inbox, tags, ...previews] = await Promise.all([
        viewStats.readRecent(found, sparklineDays),
        comments.count(found.map(({ id }) => id)),
        readInbox(),
        drops.countTags(caller, tagsCounted),
        ...found.map(previewOf),
      ]);
      const listed = found.map((drop, i) => ({
        drop,
        recentViews: recent.get(drop.id) ?? [],
        comments: countText(counts.get(drop.id), inbox?.news.get(drop.id)),
        preview: previews[i] ?? null,
      }));
      return listPage({ address, listed, total, tags, notice: query.notice, formField }, config);
    };
    return orAgain(req, show, (error) => {
      const invalid = { words: typeof query.q === 'string' ? query.q : '', error };
      return listPage(
        { address: readAddress({}), listed: [], total: 0, tags: [], formField, invalid },
        config,
      );
    });
  });
  return [list, ...deletionRoutes(parts)];
}

function listPage(parts: ListParts, config: Config): PageParts {
  const { address, total, notice, formField, invalid } = parts;
  const isEmpty = total === 0 && !isFiltered(address) && invalid === undefined;
  return {
    title: 'Drops',
    styles: ['drops'],
    scripts: ['drops'],
    policy: { 'connect-src': "'self'", 'frame-src': previewsSource(config) },
    error: invalid?.error,
    body: html`${noticeFor(notice, notices)}
${dropTarget(formField, config)}
<div data-list>${isEmpty ? nothingYet(config) : html`${controls(parts)}\n${results(parts, config)}`}</div>`,
  };
}

/** Heading, search, order and layout in one row. */
function controls(parts: ListParts): Html {
  const { address, total, invalid } = parts;
  const current = (isCurrent: boolean) => isCurrent && html` aria-current="true"`;
  const sortLinks = (Object.keys(sorts) as Sort[]).map(
    (sort) =>
      html`<a href="${listHref(address, { sort })}"${current(sort === address.sort)}>${sorts[sort].name}</a>`,
  );
  const viewLinks = (Object.keys(views) as View[]).map(
    (view) =>
      html`<a href="${listHref(address, { view, page: address.page })}"${current(view === address.view)}>${icons[view]}<span class="visually-hidden">${views[view]}</span></a>`,
  );
  const { name } = sorts[address.sort];
  return html`<div class="list-head">
<div class="what"><h1>Drops</h1>${!isFiltered(address) && invalid === undefined && html`<p class="soft number" data-count>${countOf(total, 'drop')}</p>`}</div>
${searchForm(parts)}
${tagMenu(parts)}
${menu('sort', `Order: ${name}`, sortLinks, html`${icons.sort}<span class="word">${name}</span>`)}
<nav class="segments" aria-label="Layout">${viewLinks}</nav>
<a class="button small new" href="${newDropPath}">New drop</a>
</div>
${formError(invalid?.error)}
${isFiltered(address) && activeFilters(address, total)}`;
}

/** A tag that is a filter already is marked, and its link removes it. */
function tagMenu({ address, tags }: ListParts): Html | null {
  if (tags.length === 0) return null;
  const links = tags.map(({ key, value, count }) => {
    const { href, isOn } = tagFilter(address, [key, value]);
    return html`<a href="${href}"${isOn && html` aria-current="true"`}><span class="clip">${visible(`${key}: ${value}`)}</span><span class="soft number">${count}</span></a>`;
  });
  return menu('tag-menu', 'Tags', links, html`${icons.tag}<span class="word">Tags</span>`);
}

function searchForm({ address, invalid }: ListParts): Html {
  const hidden = parametersOf({ ...address, words: '', page: 1 });
  return html`<search><form method="get" action="${dashboardPaths.drops}">
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<label for="q" class="visually-hidden">Search in titles, descriptions and tags</label>
${icons.search}<input id="q" name="q" type="search" placeholder="Search" value="${invalid?.words ?? address.words}" maxlength="${searchMaxCharacters}" autocomplete="off" spellcheck="false"${fieldState(invalid !== undefined)}>
<button type="submit" class="visually-hidden">Search</button>
</form></search>`;
}

const icon = (path: string) =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;
const icons = {
  search: icon('M16 16l4.5 4.5M18 11a7 7 0 1 1-14 0a7 7 0 0 1 14 0z'),
  tag: icon('M4 4h8l8 8-8 8-8-8zM8.5 8.5h.01'),
  sort: icon('M7 4v16m0 0l-3-3m3 3l3-3M17 20V4m0 0l-3 3m3-3l3 3'),
  gallery: icon('M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z'),
  list: icon('M4 6h16M4 12h16M4 18h16'),
};

function activeFilters(address: ListAddress, total: number): Html {
  const { words, tags } = address;
  const filters = [
    ...(words === '' ? [] : [{ text: `“${words}”`, href: listHref(address, { words: '' }) }]),
    ...tags.map((tag) => ({ text: tag.join(': '), href: tagFilter(address, tag).href })),
  ];
  return html`<div class="row drop-filters"><span class="small soft" id="filters">${countOf(total, 'drop')} found</span>
<ul class="tags" aria-labelledby="filters">${filters.map(
    ({ text, href }) =>
      html`<li><a class="tag" aria-current="true" href="${href}"><span class="visually-hidden">Remove the filter </span>${visible(text)}<span aria-hidden="true">×</span></a></li>`,
  )}</ul>${filters.length > 1 && html`<a class="small" href="${listHref(address, { words: '', tags: [] })}">Remove all</a>`}</div>`;
}

function results({ address, listed, total, invalid }: ListParts, config: Config): Html | null {
  if (invalid !== undefined) return null;
  if (total === 0) return nothingFound(address);
  return html`<form method="get" action="/drops/delete" class="drop-selection">
<input type="hidden" name="back" value="${listHref(address, { page: address.page })}">
${dropItems(listed, address, config.BASE_URL)}
<div class="selection-bar row"><label class="choice" data-select-all data-needs-script hidden><input type="checkbox"><span>Select all on this page</span></label>
<span class="small soft" data-selected role="status"></span>
<button type="submit" class="quiet small danger">Delete selected…</button></div>
</form>
${pagination(address.page, Math.ceil(total / pageSize), (to) => listHref(address, { page: to }))}`;
}

function nothingFound(address: ListAddress): Html {
  return html`<section class="empty"><h2>Nothing found</h2>
<p>No drop matches. A search finds words, or parts of words, in titles, descriptions and tags; a chosen tag must match exactly.</p>
<p><a class="button quiet" href="${listHref(address, { words: '', tags: [] })}">Show all drops</a></p></section>`;
}

/** A place for the first file, then the ways of a terminal. */
function nothingYet({ BASE_URL }: Config): Html {
  return html`<section class="dropzone welcome"><h1>Publish your first page</h1>
<p class="soft">One HTML file becomes a page at an address that you can share.</p>
<p data-needs-script hidden><button type="button" data-choose>Choose a file</button> <span class="soft">or drop it here</span></p>
<p data-without-script><a class="button" href="${newDropPath}">Choose a file</a></p>
<p class="small"><a href="${newDropPath}">Paste the HTML instead</a></p></section>
<section class="terminal"><h2>From a terminal</h2>
<p>With Node:</p>
<pre><code>curl -fsSO ${BASE_URL}${servicePaths.client}
node cli.mjs publish page.html</code></pre>
<p>With curl and a token from <a href="${dashboardPaths.account}">your account</a>:</p>
<pre><code>curl -sS --fail-with-body --data-binary @page.html \\
  -H 'Content-Type: text/html' \\
  -H "Authorization: Bearer $DROPLEAF_TOKEN" \\
  ${BASE_URL}/api/drops</code></pre>
<p class="small soft">Agents read <a href="${servicePaths.onboarding}">the agent protocol</a>, or connect to <code>${BASE_URL}${servicePaths.mcp}</code>.</p></section>`;
}

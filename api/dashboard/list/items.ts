import type { Drop } from '../../../shared/drops/drop.ts';
import { copyButton, countOf, menu, timeAgo } from '../../html/elements.ts';
import { type Html, html, visible } from '../../html/html.ts';
import { ownerPath, pagePartPath, pagePath, pageUrl } from '../../http/paths.ts';
import type { Preview } from '../../pages/frame.ts';
import { accessText } from '../drop/access-labels.ts';
import { menuLinks } from '../drop/header.ts';
import { dropPaths } from '../paths.ts';
import { type ListAddress, tagFilter } from './address.ts';

/** More tags are on the drop's own page. */
const tagsShown = { gallery: 2, list: 6 } as const;

export interface ListedDrop {
  readonly drop: Drop;
  /** The views of each of the last days, oldest first. */
  readonly recentViews: readonly number[];
  /** `2 open comments`; null: there are none. */
  readonly comments: string | null;
  /** null or absent: the page is not shown. */
  readonly preview?: Preview | null;
}

/** The drops of a page of the list, each with a box by which it can be selected. */
export function dropItems(listed: readonly ListedDrop[], address: ListAddress, baseUrl: string): Html {
  return address.view === 'gallery'
    ? html`<ul class="grid" data-drops>${listed.map((item) => card(item, address, baseUrl))}</ul>\n${emptyFrame}`
    : html`<ul class="drop-rows" data-drops>${listed.map((item) => row(item, address, baseUrl))}</ul>`;
}

function card(item: ListedDrop, address: ListAddress, baseUrl: string): Html {
  const { drop, recentViews, preview } = item;
  return html`<li class="card" id="drop-${drop.slug}">
${thumbnail(preview ?? null)}
${badges(item)}
<div class="card-body">${heading(drop, 'clip card-link')}
${description(drop)}
${tags(drop, address)}
<div class="meta"><span class="number">${countOf(drop.viewCount, 'view')}</span>${sparkline(recentViews)}${facts(drop)}</div></div>
${actions(drop, baseUrl)}
${box(drop)}
</li>`;
}

function row(item: ListedDrop, address: ListAddress, baseUrl: string): Html {
  const { drop, recentViews } = item;
  return html`<li class="drop-row" id="drop-${drop.slug}">
${box(drop)}
<div class="what">${heading(drop, 'clip')}
${description(drop)}
${tags(drop, address)}
<div class="meta">${badges(item)}${facts(drop)}</div></div>
<div class="views">${sparkline(recentViews)}<span class="small number">${countOf(drop.viewCount, 'view')}</span></div>
${actions(drop, baseUrl)}
</li>`;
}

/** What a page in the gallery may not do, although it has the owner's attention by itself. */
const denied = ['autoplay', 'camera', 'microphone', 'geolocation', 'display-capture', 'fullscreen', 'gamepad']
  .map((feature) => `${feature} 'none'`)
  .join('; ');

/** Frames like this one run in the process of the pages: a script puts it in place to ask whether that process answers. */
const emptyFrame = html`<template id="empty-frame"><iframe srcdoc="&lt;!doctype html&gt;" title="Empty" sandbox hidden></iframe></template>`;

/** The page itself, which nobody can use there. A script puts the frame in place (browser/drops/thumbnails.ts). */
function thumbnail(preview: Preview | null): Html {
  return html`<div class="scaled thumbnail" aria-hidden="true">${
    preview &&
    html`<template><iframe src="${preview.src}" title="Preview" sandbox="${preview.sandbox}" allow="${denied}" referrerpolicy="no-referrer" tabindex="-1" aria-hidden="true" inert></iframe></template>`
  }</div>`;
}

function heading({ slug, title }: Drop, kind: string): Html {
  return html`<h2 id="title-${slug}"><a class="${kind}" href="${ownerPath(slug)}" title="${title}">${visible(title)}</a></h2>`;
}

function description({ description: text }: Drop): Html | null {
  return text === null
    ? null
    : html`<p class="small soft clip" title="${text}">${visible(text.replace(/\s+/g, ' '))}</p>`;
}

/** Each tag leads to the drops that have it too; a tag that is a filter already is marked, and its link removes it. */
function tags({ slug, metadata }: Drop, address: ListAddress): Html | null {
  if (metadata.size === 0) return null;
  const shown = [...metadata].slice(0, tagsShown[address.view]);
  const more = metadata.size - shown.length;
  return html`<ul class="tags above" aria-label="Tags">${shown.map((tag) => html`<li>${tagLink(tag, address)}</li>`)}${
    more > 0 && html`<li class="rest"><a class="tag" href="${ownerPath(slug)}">${more} more</a></li>`
  }</ul>`;
}

function tagLink(tag: readonly [string, string], address: ListAddress): Html {
  const { href, isOn } = tagFilter(address, tag);
  return html`<a class="tag" href="${href}"${isOn && html` aria-current="true"`}>${visible(tag.join(': '))}</a>`;
}

function badges({ drop, comments }: ListedDrop): Html | null {
  const { slug, takedown, locked, expiresAt } = drop;
  const access = accessText(drop);
  if (takedown === null && access === null && !locked && expiresAt === null && comments === null) return null;
  const link = html`<a class="badge good above" href="${pagePartPath(slug, 'comments')}">${comments}</a>`;
  return html`<p class="badges">${takedown !== null && html`<span class="badge bad">Taken down</span>`}${
    access !== null && html`<span class="badge">${access}</span>`
  }${
    locked && html`<span class="badge">Locked</span>`
  }${expiresAt !== null && html`<span class="badge warn">Expires ${timeAgo(expiresAt)}</span>`}${takedown === null && comments !== null && link}</p>`;
}

function facts({ latestVersion, createdAt, updatedAt }: Drop): Html {
  const changed =
    updatedAt > createdAt ? html`Changed ${timeAgo(updatedAt)}` : html`Published ${timeAgo(createdAt)}`;
  return html`<span>Version ${latestVersion}</span><span>${changed}</span>`;
}

/** What a person does most, and the rest in a menu. Of a page that was taken down only what is still allowed. */
function actions(drop: Drop, baseUrl: string): Html {
  const { slug, title, takedown } = drop;
  const ofDrop = html`<span class="visually-hidden"> ${visible(title)}</span>`;
  return html`<div class="drop-actions above">${
    takedown === null &&
    html`<a href="${pagePath(slug)}">Open${ofDrop}</a>${copyButton(pageUrl(baseUrl, slug), 'Copy link')}<a href="${dropPaths(slug).newVersion}">New version${ofDrop}</a>`
  }${menu(`more-${slug}`, `More for ${title}`, menuLinks(drop))}</div>`;
}

function box({ slug }: Drop): Html {
  return html`<label class="select above"><input type="checkbox" name="drop" value="${slug}" aria-labelledby="select-${slug} title-${slug}"><span class="visually-hidden" id="select-${slug}">Select</span></label>`;
}

const sparkHeight = 10;

/** The views of each day as a small line, oldest first; the text for screen readers says the sum and the best day. */
function sparkline(views: readonly number[]): Html {
  const most = Math.max(...views);
  const points = views.map((count, day) => {
    const y = most === 0 ? sparkHeight : sparkHeight - (count / most) * sparkHeight;
    return `${day} ${Number(y.toFixed(1))}`;
  });
  const line = `M${points.join('L')}`;
  const last = views.length - 1;
  const area = most > 0 && html`<path class="area" d="${line}L${last} ${sparkHeight}L0 ${sparkHeight}Z"/>`;
  return html`<svg class="${most > 0 ? 'spark' : 'spark none'}" viewBox="0 0 ${last} ${sparkHeight}" preserveAspectRatio="none" role="img" aria-label="${describeViews(views, most)}">${area}<path class="line" d="${line}"/></svg>`;
}

function describeViews(views: readonly number[], most: number): string {
  const sum = views.reduce((total, count) => total + count, 0);
  if (sum === 0) return `No views in the last ${views.length} days`;
  return `${countOf(sum, 'view')} in the last ${views.length} days, at most ${most} on one day`;
}

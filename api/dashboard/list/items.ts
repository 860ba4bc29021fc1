import type { Drop } from '../../../shared/drops/drop.ts';
import { type Html, html, visible } from '../../html/html.ts';
import { copyButton, countOf, timeAgo } from '../../html/parts.ts';
import { cardPath, ownerPath, pagePath, pageUrl } from '../../http/paths.ts';
import { type ListAddress, listHref, tagsWithout } from './address.ts';

/** More tags are on the drop's own page. */
const tagsShown = 6;

export interface ListedDrop {
  readonly drop: Drop;
  /** The views of each of the last days, oldest first. */
  readonly recentViews: readonly number[];
}

/** The drops of a page of the list, each with a box by which it can be selected. */
export function dropItems(listed: readonly ListedDrop[], address: ListAddress, baseUrl: string): Html {
  return address.view === 'gallery'
    ? html`<ul class="grid">${listed.map((item) => card(item, address))}</ul>`
    : html`<ul class="drop-rows">${listed.map((item) => row(item, address, baseUrl))}</ul>`;
}

function card({ drop, recentViews }: ListedDrop, address: ListAddress): Html {
  return html`<li class="card drop-card">
${picture(drop)}
<div class="card-body">${heading(drop, html` class="card-link"`)}
${description(drop)}
${tags(drop, address)}
<div class="row between views"><span class="small number">${countOf(drop.viewCount, 'view')}</span>${sparkline(recentViews)}</div>
${facts(drop)}</div>
${box(drop)}
</li>`;
}

function row({ drop, recentViews }: ListedDrop, address: ListAddress, baseUrl: string): Html {
  return html`<li class="drop-row">
${box(drop)}
<div class="what">${heading(drop, null)}
${description(drop)}
${tags(drop, address)}
${facts(drop)}</div>
<div class="views">${sparkline(recentViews)}<span class="small number">${countOf(drop.viewCount, 'view')}</span></div>
<div class="row"><a class="button quiet small" href="${pagePath(drop.slug)}">Open<span class="visually-hidden"> ${visible(drop.title)}</span></a>${copyButton(pageUrl(baseUrl, drop.slug), 'Copy link')}</div>
</li>`;
}

/** The share card, which counts no view. A page that was taken down has none. */
function picture({ slug, takedown }: Drop): Html {
  return takedown === null
    ? html`<img src="${cardPath(slug)}" alt="" width="600" height="315" loading="lazy" decoding="async">`
    : html`<div class="no-card" aria-hidden="true">Taken down</div>`;
}

function heading({ slug, title }: Drop, kind: Html | null): Html {
  return html`<h2 class="clip-2" id="title-${slug}"><a${kind} href="${ownerPath(slug)}" title="${title}">${visible(title)}</a></h2>`;
}

function description({ description: text }: Drop): Html | null {
  return text === null ? null : html`<p class="small soft clip-2" title="${text}">${visible(text)}</p>`;
}

/** Each tag leads to the drops that have it too; a tag that is a filter already is marked, and its link removes it. */
function tags({ slug, metadata }: Drop, address: ListAddress): Html | null {
  if (metadata.size === 0) return null;
  const shown = [...metadata].slice(0, tagsShown);
  const more = metadata.size - shown.length;
  return html`<ul class="tags above" aria-label="Tags">${shown.map((tag) => html`<li>${tagLink(tag, address)}</li>`)}${
    more > 0 && html`<li><a class="tag" href="${ownerPath(slug)}">${more} more</a></li>`
  }</ul>`;
}

function tagLink([key, value]: readonly [string, string], address: ListAddress): Html {
  const others = tagsWithout(address, [key, value]);
  const isOn = others.length < address.tags.length;
  const href = listHref(address, { tags: isOn ? others : [...others, [key, value]] });
  return html`<a class="tag" href="${href}"${isOn && html` aria-current="true"`}>${visible(`${key}: ${value}`)}</a>`;
}

function facts({ locked, takedown, expiresAt, latestVersion, createdAt, updatedAt }: Drop): Html {
  const changed =
    updatedAt > createdAt ? html`Changed ${timeAgo(updatedAt)}` : html`Published ${timeAgo(createdAt)}`;
  return html`<p class="meta above">${takedown !== null && html`<span class="badge bad">Taken down</span>`}${
    locked && html`<span class="badge">Locked</span>`
  }${expiresAt !== null && html`<span class="badge warn">Expires ${timeAgo(expiresAt)}</span>`}<span>Version ${latestVersion}</span><span>${changed}</span></p>`;
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

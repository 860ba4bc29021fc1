import { object } from 'yup';
import type { Drop, OwnedVersion, Publisher } from '../../../shared/drops/drop.ts';
import { type Html, html, visible } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { breadcrumb, countOf, pagination, sizeText, timeAgo } from '../../html/parts.ts';
import { maxVersionNumber, queryOf, readSlug, toPositiveInteger } from '../../http/parameters.ts';
import { dashboardPaths } from '../../http/paths.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { integer, validate } from '../../http/validate.ts';
import { dashboardPages } from '../pages.ts';
import { dropPaths } from '../paths.ts';

const pageSize = 50;
const listQuery = object({ page: integer('page', maxVersionNumber) });

/** GET /drops/{slug}/history: all versions, a page at a time. */
export function historyRoute(parts: RouteParts): Route {
  const { drops } = parts.services;
  const { page } = dashboardPages(parts, 'drops');
  return page(dropPaths(':slug').history, async (req, _, { caller, formField }) => {
    const slug = readSlug(req);
    const shown = toPositiveInteger(validate(listQuery, queryOf(req), 'query').page) ?? 1;
    const drop = await drops.get(caller, slug);
    const versions = await drops.listVersions(caller, slug);
    return historyPage({ drop, versions, formField }, shown);
  });
}

function historyPage(
  { drop, versions, formField }: HistoryData & { readonly drop: Drop },
  page: number,
): PageParts {
  const total = versions.length;
  const shown = versions.slice((page - 1) * pageSize, page * pageSize);
  return {
    title: 'History',
    styles: historyStyles,
    body: html`${dropCrumbs(drop)}
<div class="page-head"><div><h1>History</h1><p class="soft clip">${countOf(total, 'version')}</p></div>
${total > 1 && html`<a class="button quiet" href="${dropPaths(drop.slug).compare}">Compare versions</a>`}</div>
<section class="panel history">${versionList({ drop, versions: shown, formField }, total)}</section>
${pagination(page, Math.ceil(total / pageSize), (to) => `?page=${to}`, ['Newer', 'Older'])}`,
  };
}

/** The way back to the drop. */
export function dropCrumbs({ slug, title }: Pick<Drop, 'slug' | 'title'>): Html {
  return breadcrumb([dashboardPaths.drops, 'Drops'], [dropPaths(slug).drop, visible(title)]);
}

/** What the lists of versions are made of. */
export interface HistoryData {
  readonly drop: Pick<Drop, 'slug' | 'latestVersion' | 'rev' | 'takedown'>;
  /** Newest first. */
  readonly versions: readonly OwnedVersion[];
  /** The hidden field of a form that changes something. */
  readonly formField: Html;
}

/** The style sheets of `historySection`. */
export const historyStyles = ['history'] as const;

/** What `?notice=` of the drop's page says after a change of its versions. */
export const historyNotices = {
  restored: 'The version is published again, as a new version.',
  version_deleted: 'The version is deleted.',
} as const;

/** The newest versions, as a part of the drop's page; all are on a page of their own. */
const shownAtOnce = 20;

/** The history of a drop, for the drop's page. */
export function historySection({ drop, versions, formField }: HistoryData): Html {
  const paths = dropPaths(drop.slug);
  const more = versions.length - shownAtOnce;
  return html`<section class="panel history" id="history" aria-labelledby="history-title">
<div class="panel-head"><h2 id="history-title">History</h2><div class="actions">${versions.length > 1 && html`<a class="button quiet small" href="${paths.compare}">Compare versions</a>`}
${drop.takedown === null && html`<a class="button quiet small" href="${paths.newVersion}">New version</a>`}</div></div>
${versionList({ drop, versions: versions.slice(0, shownAtOnce), formField }, versions.length)}
${more > 0 && html`<p class="small"><a href="${paths.history}">Show all ${versions.length} versions</a></p>`}
${versions.length === 1 && html`<p class="soft small">Each new version keeps the address. You can compare and restore versions here.</p>`}
</section>`;
}

/** @param total how many versions the drop has */
function versionList({ drop, versions, formField }: HistoryData, total: number): Html {
  return html`<form method="post">${formField}<input type="hidden" name="if_match" value="${drop.rev}">
<ol class="versions">
${versions.map((version) => versionRow(drop, version, total))}</ol>
</form>`;
}

/** One button restores: nothing is lost by it. Deleting has a page that confirms it. */
function versionRow(
  { slug, latestVersion, takedown }: HistoryData['drop'],
  version: OwnedVersion,
  total: number,
): Html {
  const { number } = version;
  const paths = dropPaths(slug);
  const isLive = number === latestVersion;
  const name = html`<span class="visually-hidden"> version ${number}</span>`;
  const comparison = isLive ? '' : `?from=${number}`;
  const mayChange = takedown === null;
  return html`<li>
<div class="grow"><p class="row"><a class="strong" href="${paths.version(number)}">Version ${number}</a>${isLive && html`<span class="badge good">Live</span>`}${version.hasContext && html`<span class="badge">Context</span>`}</p>
${versionFacts(version)}</div>
<div class="row small">
${total > 1 && html`<a href="${paths.compare}${comparison}">Compare${name}</a>`}
<a href="${paths.html(number)}" download>Download${name}</a>
${mayChange && !isLive && html`<button class="link" formaction="${paths.restore(number)}">Restore${name}</button>`}
${mayChange && total > 1 && html`<a class="danger" href="${paths.removeVersion(number)}">Delete${name}</a>`}
</div>
</li>
`;
}

/** When, how large, by whom. */
export function versionFacts({ createdAt, sizeBytes, publishedBy }: OwnedVersion): Html {
  return html`<p class="meta"><span>${timeAgo(createdAt)}</span><span>${sizeText(sizeBytes)}</span>${publishedBy !== null && html`<span>${publisherText(publishedBy)}</span>`}</p>`;
}

/** null says nothing: the version is older than the record of who published it. */
function publisherText({ kind, label }: Publisher): Html {
  if (kind === 'session') return html`by you in the dashboard${label !== null && html`, ${visible(label)}`}`;
  return label === null ? html`with a token without a label` : html`with the token ${visible(label)}`;
}

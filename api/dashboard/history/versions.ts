import { object } from 'yup';
import { notFound } from '../../../shared/domain/errors.ts';
import type { Drop, OwnedVersion, Publisher } from '../../../shared/drops/drop.ts';
import { countOf, pagination, sizeText, timeAgo } from '../../html/elements.ts';
import { type Html, html, raw, visible } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import {
  maxVersionNumber,
  queryOf,
  readSlug,
  readVersionNumber,
  toPositiveInteger,
} from '../../http/parameters.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { integerField, validate } from '../../http/validate.ts';
import { createPreviews, findOwnPage, type Preview } from '../../pages/frame.ts';
import { sourceHandlers } from '../../versions/source.ts';
import { dropCrumbs, revisionField } from '../drop/revision-field.ts';
import { dashboardPages } from '../pages.ts';
import { dropPaths } from '../paths.ts';

const pageSize = 50;
const listQuery = object({ page: integerField('page', maxVersionNumber) });

/** A drop and what its owner sees of its versions. */
export interface HistoryData {
  readonly drop: Drop;
  /** Newest first. */
  readonly versions: readonly OwnedVersion[];
  /** The hidden field of a form that changes something. */
  readonly formField: Html;
}

/** The versions of a drop: all, a page at a time; one with its context; its document as a file. */
export function historyRoutes(parts: RouteParts): readonly Route[] {
  const { drops } = parts.services;
  const pages = dashboardPages(parts, 'drops');
  const source = sourceHandlers(parts.services);
  const previewOf = createPreviews(parts.services);
  const paths = dropPaths(':slug');
  return [
    pages.page(paths.history, async (req, _, { caller, formField }) => {
      const slug = readSlug(req);
      const pageNumber = toPositiveInteger(validate(listQuery, queryOf(req), 'query').page) ?? 1;
      const drop = await drops.get(caller, slug);
      const versions = await drops.listVersions(caller, slug);
      return historyPage({ drop, versions, formField }, pageNumber);
    }),

    pages.page(paths.version(':n'), async (req, _, { caller, formField }) => {
      const slug = readSlug(req);
      const drop = await drops.get(caller, slug);
      const versions = await drops.listVersions(caller, slug);
      const version = pick(versions, readVersionNumber(req));
      const publicPage = await findOwnPage(parts.services, caller, slug, version.number);
      const preview = await previewOf(caller, slug, version.number);
      const context = await parts.services.pages.context(publicPage);
      return versionPage({ drop, versions, formField }, version, preview, context);
    }),

    pages.file(paths.html(':n'), (req, res, { caller }) => source.read(req, res, caller)),
  ];
}

function historyPage(history: HistoryData, page: number): PageParts {
  const { drop, versions } = history;
  const shown = versions.slice((page - 1) * pageSize, page * pageSize);
  return {
    title: 'History',
    styles: historyStyles,
    body: html`${dropCrumbs(drop)}
<div class="page-head"><div><h1>History</h1><p class="soft clip">${countOf(versions.length, 'version')}</p></div>
${versions.length > 1 && html`<a class="button quiet" href="${dropPaths(drop.slug).compare}">Compare versions</a>`}</div>
<section class="panel history">${versionList(history, shown)}</section>
${pagination(page, Math.ceil(versions.length / pageSize), (to) => `?page=${to}`, ['Newer', 'Older'])}`,
  };
}

/** @param preview null: the drop was taken down @param context sanitized markup; null: none */
function versionPage(
  { drop, versions, formField }: HistoryData,
  version: OwnedVersion,
  preview: Preview | null,
  context: string | null,
): PageParts {
  const title = `Version ${version.number}`;
  const isLive = version.number === drop.latestVersion;
  return {
    title,
    styles: historyStyles,
    ...(preview && { policy: { 'frame-src': preview.source } }),
    body: html`${dropCrumbs(drop)}
<div class="page-head"><div><h1>${title}${isLive && html` <span class="badge good">Live</span>`}</h1>
${versionFacts(version)}</div>
<form class="actions" method="post">${formField}${revisionField(drop)}
${versionActions(drop, version, versions.length, pageLook)}
</form></div>
${
  preview === null
    ? html`<p class="notice bad">The operators of this service took the page down, so it cannot be shown. You can download it.</p>`
    : html`<iframe class="version-frame" src="${preview.src}" title="${title}" sandbox="${preview.sandbox}" referrerpolicy="no-referrer"></iframe>`
}
${context !== null && html`<section class="panel" aria-labelledby="context-title"><h2 id="context-title">Context</h2><div class="context">${raw(context)}</div></section>`}`,
  };
}

/** The style sheets of `historySection`. */
export const historyStyles = ['history'] as const;

/** The newest versions, as a part of the drop's page; all are on a page of their own. */
const shownAtOnce = 20;

/** The history of a drop, for the drop's page. */
export function historySection(history: HistoryData): Html {
  const { drop, versions } = history;
  const paths = dropPaths(drop.slug);
  return html`<section class="panel history" id="history" aria-labelledby="history-title">
<div class="panel-head"><h2 id="history-title">History</h2>${versions.length > 1 && html`<a class="button quiet small" href="${paths.compare}">Compare versions</a>`}</div>
${versionList(history, versions.slice(0, shownAtOnce))}
${versions.length > shownAtOnce && html`<p class="small"><a href="${paths.history}">Show all ${versions.length} versions</a></p>`}
${versions.length === 1 && html`<p class="soft small">Each new version keeps the address. You can compare and restore versions here.</p>`}
</section>`;
}

/** @param shown some of the versions */
function versionList({ drop, versions, formField }: HistoryData, shown: readonly OwnedVersion[]): Html {
  const rows = shown.map((version) => {
    const { number, hasContext } = version;
    const isLive = number === drop.latestVersion;
    const name = html`<span class="visually-hidden"> version ${number}</span>`;
    return html`<li>
<div class="grow"><p class="row"><a class="strong" href="${dropPaths(drop.slug).version(number)}">Version ${number}</a>${isLive && html`<span class="badge good">Live</span>`}${hasContext && html`<span class="badge">Context</span>`}</p>
${versionFacts(version)}</div>
<div class="row small">
${versionActions(drop, version, versions.length, { ...rowLook, name })}
</div>
</li>
`;
  });
  return html`<form method="post">${formField}${revisionField(drop)}
<ol class="rows versions">
${rows}</ol>
</form>`;
}

/** Classes, and the name of the version for screen readers where several are listed. */
interface Look {
  readonly link?: Html;
  readonly button: string;
  readonly danger: string;
  readonly name?: Html;
}

const rowLook: Look = { button: 'link', danger: 'danger' };
const pageLook: Look = {
  link: html` class="button quiet small"`,
  button: 'quiet small',
  danger: 'button danger quiet small',
};

/** One button restores: nothing is lost by it. Deleting has a page that confirms it. @param total versions of the drop */
function versionActions(
  { slug, latestVersion, takedown }: Drop,
  { number }: OwnedVersion,
  total: number,
  { link, button, danger, name }: Look,
): Html {
  const paths = dropPaths(slug);
  const isLive = number === latestVersion;
  const mayChange = takedown === null;
  return html`${total > 1 && html`<a${link} href="${paths.compare}${isLive ? '' : `?from=${number}`}">Compare${name}</a>`}
<a${link} href="${paths.html(number)}" download>Download${name}</a>
${mayChange && !isLive && html`<button class="${button}" formaction="${paths.restore(number)}">Restore${name}</button>`}
${mayChange && total > 1 && html`<a class="${danger}" href="${paths.removeVersion(number)}">Delete${name}</a>`}`;
}

/** When, how large, by whom. Of versions older than the record of publishers, `publishedBy` is null. */
export function versionFacts({ createdAt, sizeBytes, publishedBy }: OwnedVersion): Html {
  return html`<p class="meta"><span>${timeAgo(createdAt)}</span><span>${sizeText(sizeBytes)}</span>${publishedBy !== null && html`<span>${publisherText(publishedBy)}</span>`}</p>`;
}

function publisherText({ kind, label }: Publisher): Html {
  if (kind === 'session') return html`by you in the dashboard${label !== null && html`, ${visible(label)}`}`;
  return label === null ? html`with a token without a label` : html`with the token ${visible(label)}`;
}

/** @throws DropError `not_found` */
export function pick(versions: readonly OwnedVersion[], number: number): OwnedVersion {
  const version = versions.find((other) => other.number === number);
  if (version === undefined) throw notFound('version');
  return version;
}

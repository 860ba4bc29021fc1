import type { Drop, OwnedVersion, Publisher } from '../../../shared/domain/drop.ts';
import { type Html, html, visible } from '../../html/html.ts';
import { sizeText } from '../../html/quantity.ts';
import { timeTag } from '../../html/time.ts';
import { newVersionPath } from '../../http/paths.ts';
import { historyPaths } from './paths.ts';

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
  const paths = historyPaths(drop.slug);
  const more = versions.length - shownAtOnce;
  return html`<section class="panel history" id="history" aria-labelledby="history-title">
<div class="panel-head"><h2 id="history-title">History</h2><div class="actions">${versions.length > 1 && html`<a class="button quiet small" href="${paths.compare}">Compare versions</a>`}
${drop.takedown === null && html`<a class="button quiet small" href="${newVersionPath(drop.slug)}">New version</a>`}</div></div>
${versionList({ drop, versions: versions.slice(0, shownAtOnce), formField }, versions.length)}
${more > 0 && html`<p class="small"><a href="${paths.history}">Show all ${versions.length} versions</a></p>`}
${versions.length === 1 && html`<p class="soft small">Each new version keeps the address. You can compare and restore versions here.</p>`}
</section>`;
}

/** @param total how many versions the drop has */
export function versionList({ drop, versions, formField }: HistoryData, total: number): Html {
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
  const paths = historyPaths(slug);
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
  return html`<p class="meta"><span>${timeTag(createdAt, { relative: true })}</span><span>${sizeText(sizeBytes)}</span>${publishedBy !== null && html`<span>${publisherText(publishedBy)}</span>`}</p>`;
}

/** null says nothing: the version is older than the record of who published it. */
function publisherText({ kind, label }: Publisher): Html {
  if (kind === 'session') return html`by you in the dashboard${label !== null && html`, ${visible(label)}`}`;
  return label === null ? html`with a token without a label` : html`with the token ${visible(label)}`;
}

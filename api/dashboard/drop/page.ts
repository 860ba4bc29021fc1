import type { CommentCounts } from '../../../shared/comments/comment-store.ts';
import type { Drop, OwnedVersion } from '../../../shared/drops/drop.ts';
import { breadcrumb, copyButton, fact, soft, timeAgo, timeTag } from '../../html/elements.ts';
import { type Html, html, visible, visibleLines } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { metadataPrefix, readSlug } from '../../http/parameters.ts';
import { dashboardPaths, pagePartPath, pageUrl } from '../../http/paths.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { createPreviews, type Preview } from '../../pages/frame.ts';
import { sourceHandlers } from '../../versions/source.ts';
import { commenterNames, countText } from '../comments/comment-labels.ts';
import { type HistoryData, historySection, historyStyles } from '../history/versions.ts';
import { type VersionConfig, versionForm } from '../new/version.ts';
import { dashboardPages } from '../pages.ts';
import { dropPaths } from '../paths.ts';
import { readersText } from './access-labels.ts';
import { dropHeader } from './header.ts';
import { type DropViews, type Range, rangeOf, viewsSection } from './views-section.ts';

interface OwnedPage extends HistoryData {
  readonly stats: DropViews;
  readonly range: Range;
  /** undefined: nobody has written any. */
  readonly comments: CommentCounts | undefined;
  /** null: the page was taken down. */
  readonly preview: Preview | null;
  readonly config: VersionConfig;
  /** From the address. */
  readonly notice: unknown;
}

/** /drops/{slug}: one drop for its owner. */
export function ownedDropRoutes(parts: RouteParts): readonly Route[] {
  const { drops, viewStats, comments, config } = parts.services;
  const previewOf = createPreviews(parts.services);
  const source = sourceHandlers(parts.services);

  const pages = dashboardPages(parts, 'drops');
  const paths = dropPaths(':slug');
  return [
    pages.page(paths.drop, async (req, _, { caller, formField }) => {
      const { notice, days } = req.query;
      const slug = readSlug(req);
      const range = rangeOf(days);
      const [drop, stats, preview, versions] = await Promise.all([
        drops.get(caller, slug),
        viewStats.read(caller, slug, range.days),
        previewOf(caller, slug),
        drops.listVersions(caller, slug),
      ]);
      const counts = (await comments.count([drop.id])).get(drop.id);
      const page = { drop, stats, range, preview, versions, comments: counts };
      return dropPage({ ...page, config, notice, formField });
    }),

    /** The latest version, as it was posted. */
    pages.file(paths.download, (req, res, { caller }) => source.readLatest(req, res, caller)),
  ];
}

export function dropPage(parts: OwnedPage): PageParts {
  const { drop, versions, stats, range, comments, preview, config, notice, formField } = parts;
  const { BASE_URL } = config;
  const next = preview && versionForm({ drop, preview, formField }, config);
  return {
    title: drop.title,
    styles: ['drop', ...(next?.styles ?? historyStyles)],
    scripts: ['drop', ...(next?.scripts ?? [])],
    ...(next && { policy: next.policy }),
    body: html`${dropHeader(parts, BASE_URL, notice)}
${takenDownNotice(drop)}
<div${preview && html` class="columns"`}>
${previewSection(preview)}
<div class="aside">${detailsSection(drop, versions[0], comments)}
${drop.takedown === null && shareSection(drop, BASE_URL)}</div>
${viewsSection({ slug: drop.slug, stats, range })}
</div>
${historySection(parts)}
${next && html`<section class="next-version" aria-labelledby="next-title">${breadcrumb([dropPaths(drop.slug).drop, 'Back to the drop'])}\n<h2 id="next-title">New version</h2>\n${next.body}</section>`}`,
  };
}

function takenDownNotice({ takedown, slug }: Drop): Html | null {
  if (takedown === null) return null;
  return html`<div class="notice bad">
<p><strong>The operators of this service took this page down</strong> (${timeTag(takedown.at)}). Viewers cannot open it, and you cannot change it.</p>
<p>Their reason: ${visible(takedown.reason)}</p>
<p>You can <a href="${dropPaths(slug).download}" download>download the HTML file</a> or delete the drop.</p>
</div>`;
}

/** What the owner has said about a drop, and the way to change it. */
function detailsSection(drop: Drop, latest: OwnedVersion | undefined, counts: OwnedPage['comments']): Html {
  const { slug, title, description, metadata, locked, createdAt, updatedAt, expiresAt } = drop;
  const paths = dropPaths(slug);
  const mayChange = drop.takedown === null;
  const passcode = locked ? 'Viewers must enter it.' : soft('None');
  const comments = countText(counts) ?? 'No open comments';
  return html`<section class="panel" aria-labelledby="details-title">
<div class="panel-head"><h2 id="details-title">Details</h2>${mayChange && html`<a class="button quiet small" href="${paths.edit}">Edit details</a>`}</div>
<dl class="facts plain">
${fact('Title', visible(title))}
${fact('Description', description === null ? soft('None') : visibleLines(description))}
${fact('Tags', metadata.size === 0 ? soft('None') : tagList(metadata))}
${fact('Passcode', html`${passcode}${mayChange && html` <a href="${paths.passcode}">${locked ? 'Change the passcode' : 'Set a passcode'}</a>`}`)}
${fact('Context', contextText(drop, latest))}
${fact('Comments', html`${mayChange ? html`<a href="${pagePartPath(slug, 'comments')}">${comments}</a>` : comments}<br>${commenterNames[drop.comments]} can write`)}
${fact('Expires', expiresAt === null ? soft('Never') : html`<span class="badge warn">${timeTag(expiresAt)}</span>`)}
${fact('Created', html`${timeTag(createdAt)}<br>Changed ${timeAgo(updatedAt)}`)}
</dl>
</section>`;
}

/** Of the latest version. */
function contextText({ slug, takedown }: Drop, latest: OwnedVersion | undefined): Html {
  const { version, context } = dropPaths(slug);
  const edit = (text: string) => takedown === null && html` · <a href="${context}">${text}</a>`;
  return latest?.hasContext
    ? html`<a href="${version(latest.number)}">Read it</a>${edit('Edit it')}`
    : html`${soft('None')}${edit('Write one')}`;
}

/** Each tag leads to the list of the drops that have it. */
function tagList(metadata: Drop['metadata']): Html {
  return html`<ul class="tags">${[...metadata].map(
    ([key, value]) =>
      html`<li><a class="tag" href="${dashboardPaths.drops}?${String(new URLSearchParams([[metadataPrefix + key, value]]))}"><span>${visible(key)}: ${visible(value)}</span></a></li>`,
  )}</ul>`;
}

/** The address of the page and who may read it. */
function shareSection(drop: Drop, baseUrl: string): Html {
  const url = pageUrl(baseUrl, drop.slug);
  return html`<section class="panel" aria-labelledby="share-title">
<div class="panel-head"><h2 id="share-title">Share</h2><a class="button quiet small" href="${dropPaths(drop.slug).share}">Share…</a></div>
<p class="copyable"><a href="${url}">${url}</a>${copyButton(url)}</p>
<p class="small soft">${readersText(drop)} can read it.${drop.locked && ' Viewers also need the passcode.'}</p>
</section>`;
}

/** The drop in a frame, which the style sheet scales. @param preview null: there is nothing to show */
function previewSection(preview: Preview | null): Html | null {
  if (preview === null) return null;
  return html`<section class="panel" aria-label="Preview"><div class="scaled stage"><iframe src="${preview.src}" title="Preview of the page" sandbox="${preview.sandbox}" referrerpolicy="no-referrer"></iframe></div></section>`;
}

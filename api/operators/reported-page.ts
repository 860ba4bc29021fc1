import type { Comment } from '../../shared/comments/comment.ts';
import { notFound } from '../../shared/domain/errors.ts';
import type { OwnedVersion } from '../../shared/drops/drop.ts';
import { capTable } from '../../shared/limits/limit-table.ts';
import type { OwnedPage } from '../../shared/moderation/moderation.ts';
import { type Report, reportIdPattern } from '../../shared/reports/report.ts';
import { copyButton, countOf, fact, noticeFor, sizeText, timeTag } from '../html/elements.ts';
import { type Html, html, visible, visibleLines } from '../html/html.ts';
import { queryOf, readSlug } from '../http/parameters.ts';
import { pageUrl } from '../http/paths.ts';
import type { Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { actRoutes } from './acts.ts';
import { accountLink, commentQuote, pageBadges, suspendedBadge } from './labels.ts';
import { pageNotices, restoreAct, takedownAct } from './page-acts.ts';
import { operatorPages } from './pages.ts';
import { operatorPaths } from './paths.ts';
import { closeReportAct, closeReportsAct, deleteCommentAct } from './report-acts.ts';

const reportsAtOnce = 25;

interface ReportList {
  /** Newest first. */
  readonly shown: readonly Report[];
  /** The id of the last one shown, if there are older ones. */
  readonly older: string | null;
  readonly withClosed: boolean;
  /** The comments that are reported and still there, by id. */
  readonly comments: ReadonlyMap<string, Comment>;
}

/** One page with its reports, which outlive it (`closed` shows closed ones, too), and what operators do to them. */
export function reportedPageRoutes(parts: RouteParts): readonly Route[] {
  const { moderation, reports, config } = parts.services;
  const pages = operatorPages(parts);

  const show = pages.page(operatorPaths.page(':slug'), async (req, _, { formField }) => {
    const slug = readSlug(req);
    const { closed, before, notice } = queryOf(req);
    const filter = {
      slug,
      withClosed: closed !== undefined,
      ...(typeof before === 'string' && reportIdPattern.test(before) && { before }),
    };
    const [owned, found, isKnown, isFull] = await Promise.all([
      moderation.describePage(slug),
      reports.list(filter, reportsAtOnce + 1),
      reports.list({ slug, withClosed: true }, 1),
      reports.isFullFor(slug),
    ]);
    if (owned === null && isKnown.length === 0) throw notFound('page');
    const shown = found.slice(0, reportsAtOnce);
    const older = found.length > shown.length ? (shown.at(-1)?.id ?? null) : null;
    const versions = owned === null ? [] : await moderation.listVersions(owned.drop);
    const commented = await Promise.all(
      shown.map(({ commentId }) => commentId && moderation.findComment(commentId)),
    );
    const comments = new Map(commented.flatMap((comment) => (comment ? [[comment.id, comment]] : [])));
    const list = { shown, older, withClosed: filter.withClosed, comments };
    const title = owned?.drop.title ?? 'Deleted page';
    return {
      title,
      body: html`${noticeFor(notice, pageNotices)}
<div class="page-head"><div><h1>${owned === null ? title : visible(title)}</h1>
${
  owned === null
    ? html`<p class="soft">The owner deleted this page, or it has expired. Its reports are kept. Slug: <code>${slug}</code></p>`
    : html`<p class="meta">${pageBadges(owned.drop)}${suspendedBadge(owned.owner)}<code class="wrap-anywhere">${slug}</code><span class="wrap-anywhere">by ${accountLink(owned.drop.ownerId, owned.owner)}</span></p>`
}</div>
${owned !== null && actions(owned)}</div>
${owned !== null && takedownNotice(owned)}
${isFull && html`<p class="notice warn" role="status">${capTable.openReportsOfDrop.refusal(config.REPORTS_OPEN_PER_DROP)}</p>`}
<div${owned !== null && html` class="columns"`}>
${reportsSection(slug, list, versions, formField)}
${owned !== null && html`<div>${inspectSection(slug, versions, formField)}\n${factsSection(owned, versions, config.BASE_URL)}</div>`}
</div>`,
    };
  });
  return [
    show,
    ...actRoutes(pages, takedownAct(parts.services)),
    ...actRoutes(pages, restoreAct(parts.services)),
    ...actRoutes(pages, closeReportsAct(parts.services)),
    ...actRoutes(pages, closeReportAct(parts.services)),
    ...actRoutes(pages, deleteCommentAct(parts.services)),
  ];
}

function actions({ drop: { slug, takedown } }: OwnedPage): Html {
  return html`<div class="actions">${
    takedown === null
      ? html`<a class="button danger" href="${operatorPaths.takedown(slug)}">Take down…</a>`
      : html`<a class="button" href="${operatorPaths.restore(slug)}">Restore…</a>`
  }</div>`;
}

function takedownNotice({ drop: { slug, takedown } }: OwnedPage): Html | null {
  if (takedown === null) return null;
  return html`<div class="notice bad"><p><strong>This page is offline</strong> since ${timeTag(takedown.at)}. Reason for the owner: ${visible(takedown.reason)}</p>
<p><a href="${operatorPaths.takedown(slug)}">Change the reason</a></p></div>`;
}

function inspectSection(slug: string, versions: readonly OwnedVersion[], formField: Html): Html {
  return html`<section class="panel" aria-labelledby="inspect-title"><h2 id="inspect-title">Look at the page</h2>
<p class="small soft">Shown without scripts, forms and links, also if it is locked or taken down. It counts no view; the log names you.</p>
<form method="post" action="${operatorPaths.inspect(slug)}">${formField}
<label for="version">Version</label>
<div class="input-row"><select id="version" name="version">${versions.map(
    ({ number, sizeBytes }) => html`<option value="${number}">${number} (${sizeText(sizeBytes)})</option>`,
  )}</select><button class="quiet">Look</button></div></form></section>`;
}

function factsSection({ drop, owner }: OwnedPage, versions: readonly OwnedVersion[], baseUrl: string): Html {
  const { slug, ownerId, description, viewCount, createdAt, updatedAt, expiresAt, locked } = drop;
  const url = pageUrl(baseUrl, slug);
  return html`<section class="panel" aria-labelledby="facts-title"><h2 id="facts-title">Facts</h2>
<dl class="facts plain">
${fact('Address', html`<code class="wrap-anywhere">${url}</code> ${copyButton(url)}`)}
${fact('Owner', html`${accountLink(ownerId, owner)} <code class="small soft wrap-anywhere">${ownerId}</code>`)}
${description !== null && fact('Description', visibleLines(description))}
${fact('Passcode', locked ? 'Viewers must enter it' : 'None')}
${fact('Versions', countOf(versions.length, 'version'))}
${fact('Views', countOf(viewCount, 'view'))}
${fact('Created', timeTag(createdAt))}
${fact('Changed', timeTag(updatedAt))}
${expiresAt !== null && fact('Expires', timeTag(expiresAt))}
</dl></section>`;
}

function reportsSection(
  slug: string,
  { shown, older, withClosed, comments }: ReportList,
  versions: readonly OwnedVersion[],
  formField: Html,
): Html {
  const path = operatorPaths.page(slug);
  const hasOpen = shown.some(({ closedAt }) => closedAt === null);
  const kind = withClosed ? 'reports' : 'open reports';
  const existing = new Set(versions.map(({ number }) => number));
  return html`<section class="panel" aria-labelledby="reports-title">
<div class="panel-head"><h2 id="reports-title">Reports</h2>
<div class="actions"><a class="small" href="${withClosed ? path : `${path}?closed`}">${withClosed ? 'Show open ones only' : 'Show closed ones, too'}</a>
${hasOpen && html`<a class="button quiet small" href="${operatorPaths.closeReports(slug)}">Close all…</a>`}</div></div>
${shown.length === 0 ? html`<p>This page has no ${kind}.</p>` : html`<ul class="rows reports">${shown.map((report) => reportItem(report, comments, existing.has(report.version) ? formField : null))}</ul>`}
${older !== null && html`<p class="small"><a href="${path}?${withClosed && 'closed&'}before=${older}">Older reports</a></p>`}
</section>`;
}

/** @param formField null: the version that was reported does not exist any more */
function reportItem(report: Report, comments: ReportList['comments'], formField: Html | null): Html {
  const { id, slug, version, commentId, reason, text, contact, createdAt, closedAt } = report;
  const of = html`<span class="visually-hidden"> ${reason}, version ${version}</span>`;
  return html`<li>
<div class="row between"><p class="row"><span class="strong">${reason}</span><span class="soft small">Version ${version}</span>${closedAt !== null && html`<span class="badge">Closed</span>`}</p>
<div class="row small">${
    formField === null
      ? html`<span class="soft">Version deleted</span>`
      : html`<form method="post" action="${operatorPaths.inspect(slug)}">${formField}<input type="hidden" name="version" value="${version}"><button class="link">Look${of}</button></form>`
  }
${closedAt === null && html`<a href="${operatorPaths.closeReport(id)}">Close…${of}</a>`}</div></div>
${text !== '' && html`<p class="wrap-anywhere">${visibleLines(text)}</p>`}
${commentId !== null && reportedComment(comments.get(commentId))}
<p class="meta"><span>${timeTag(createdAt)}</span>${contact !== null && html`<span class="wrap-anywhere">Contact: ${visible(contact)}</span>`}${closedAt !== null && html`<span>Closed ${timeTag(closedAt)}</span>`}</p>
</li>
`;
}

/** @param comment undefined: it was deleted */
function reportedComment(comment: Comment | undefined): Html {
  if (comment === undefined)
    return html`<p class="soft small">The report is about a comment that was deleted.</p>`;
  return html`<p class="small">The report is about this comment:</p>
${commentQuote(comment)}
<p><a class="button danger small" href="${operatorPaths.deleteComment(comment.id)}">Delete the comment…</a></p>`;
}

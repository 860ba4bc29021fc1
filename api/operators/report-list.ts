import type { Request, Response } from 'express';
import type { ReportedPage } from '../../shared/domain/report.ts';
import type { Services } from '../../shared/open-services.ts';
import type { OwnedPage } from '../../shared/services/moderation.ts';
import { type Html, html, visible } from '../html/html.ts';
import type { Layout } from '../html/layout.ts';
import { pagination } from '../html/pagination.ts';
import { countOf } from '../html/quantity.ts';
import { timeTag } from '../html/time.ts';
import { queryOf, toPositiveInteger } from '../http/parameters.ts';
import type { Session } from '../http/session.ts';
import { accountLink, createSender, type OperatorPage, pageBadges, suspendedBadge } from './parts.ts';
import { operatorPaths } from './paths.ts';

const pageSize = 25;
/** The store sorts all reported pages for each page of the list. With more pages than that, operators close reports first. */
const maxPages = 40;

/** A page with open reports; `owned` null: it was deleted, or it has expired. */
interface Listed {
  readonly reported: ReportedPage;
  readonly owned: OwnedPage | null;
}

/** GET /operators: the pages with open reports, the most reported first. */
export function reportListHandler({ reports, moderation }: Services, layout: Layout) {
  const { send } = createSender(layout);

  return async (req: Request, res: Response, session: Session): Promise<void> => {
    const asked = toPositiveInteger([queryOf(req).page].flat()[0]) ?? 1;
    const page = Math.min(asked, maxPages);
    const { pages, others } = await reports.listPages(page * pageSize);
    const total = pages.length + others;
    const last = Math.min(maxPages, Math.max(1, Math.ceil(total / pageSize)));
    if (asked > last) {
      res.redirect(303, hrefOf(last)); // the reports were closed
      return;
    }
    const shown = pages.slice((page - 1) * pageSize);
    const listed = await Promise.all(
      shown.map(async (reported) => ({
        reported,
        owned: await moderation.describePage(reported.slug),
      })),
    );
    send(res, 200, session, reportListPage({ listed, total, page, last }));
  };
}

function hrefOf(page: number): string {
  return page === 1 ? operatorPaths.reports : `${operatorPaths.reports}?page=${page}`;
}

function reportListPage(list: {
  readonly listed: readonly Listed[];
  readonly total: number;
  readonly page: number;
  readonly last: number;
}): OperatorPage {
  const { listed, total, page, last } = list;
  const head = html`<div class="page-head"><div><h1>Reports</h1>
<p class="soft">${total === 0 ? 'No page has open reports.' : `${countOf(total, 'page')} with open reports, the most reported first`}</p></div></div>`;
  if (total === 0) return { tab: 'reports', title: 'Reports', body: html`${head}\n${nothing}` };
  return {
    tab: 'reports',
    title: 'Reports',
    body: html`${head}
<div class="table-wrap"><table class="table stacked">
<thead><tr><th scope="col">Page</th><th scope="col" class="number">Open</th><th scope="col">Reasons</th><th scope="col">Newest</th></tr></thead>
<tbody>
${listed.map(row)}</tbody>
</table></div>
${pagination(page, last, hrefOf)}`,
  };
}

const nothing: Html = html`<section class="empty"><h2>Nothing to do</h2>
<p>Readers report pages with the link in the viewer. To look at a page, an account or a token without a report, find it.</p>
<p><a class="button quiet" href="${operatorPaths.find}">Find</a></p></section>`;

function row({ reported: { slug, open, reasons, newest }, owned }: Listed): Html {
  const title = owned === null ? html`<span class="soft">Deleted page</span>` : visible(owned.drop.title);
  return html`<tr>
<th scope="row" class="main"><a class="clip-2" href="${operatorPaths.page(slug)}">${title}</a>
<p class="meta"><code class="wrap-anywhere">${slug}</code>${owned && html`<span class="wrap-anywhere">by ${accountLink(owned.drop.ownerId, owned.owner)}</span>${pageBadges(owned.drop)}${suspendedBadge(owned.owner)}`}</p></th>
<td class="number" data-label="Open reports">${open}</td>
<td data-label="Reasons"><span>${reasons.map(([reason, count], i) => html`${i > 0 && ', '}<span class="nowrap">${reason} ${count}</span>`)}</span></td>
<td data-label="Newest">${timeTag(newest, { relative: true })}</td>
</tr>
`;
}

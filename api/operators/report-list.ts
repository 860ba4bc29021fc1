import type { Services } from '../../shared/engines/open-services.ts';
import type { OwnedPage } from '../../shared/moderation/moderation.ts';
import type { ReportedPage } from '../../shared/reports/report.ts';
import { callbackUrls } from '../../shared/sign-ins/callbacks.ts';
import { countOf, fact, numberText, pagination, soft, stackedTable, timeAgo } from '../html/elements.ts';
import { type Html, html, visible } from '../html/html.ts';
import { queryOf, toPositiveInteger } from '../http/parameters.ts';
import type { Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { accountLink, pageBadges, suspendedBadge } from './labels.ts';
import { operatorPages } from './pages.ts';
import { operatorPaths } from './paths.ts';

const pageSize = 25;
/** The store sorts all reported pages for each page of the list. With more pages than that, operators close reports first. */
const maxPages = 40;

/** GET /operators: the pages with open reports, the most reported first. */
export function reportListRoute(parts: RouteParts): Route {
  const { reports, moderation, config } = parts.services;
  return operatorPages(parts).page(operatorPaths.reports, async (req) => {
    const asked = toPositiveInteger([queryOf(req).page].flat()[0]) ?? 1;
    const page = Math.min(asked, maxPages);
    const [{ pages, others }, isFull] = await Promise.all([
      reports.listPages(page * pageSize),
      reports.isFull(),
    ]);
    const total = pages.length + others;
    const last = Math.min(maxPages, Math.max(1, Math.ceil(total / pageSize)));
    if (asked > last) return hrefOf(last); // the reports were closed
    const shown = pages.slice((page - 1) * pageSize);
    const listed = await Promise.all(
      shown.map(async (reported) =>
        row(reported, await moderation.describePage(reported.slug), config.REPORTS_OPEN_PER_DROP),
      ),
    );
    const open = html`<th scope="col" class="number">Open</th>`;
    const table = () => html`${stackedTable(['Page', open, 'Reasons', 'Newest'], listed)}
${pagination(page, last, hrefOf)}`;
    return {
      tab: 'reports',
      title: 'Reports',
      body: html`<div class="page-head"><div><h1>Reports</h1>
<p class="soft">${total === 0 ? 'No page has open reports.' : `${countOf(total, 'page')} with open reports, the most reported first`}</p></div></div>
${isFull && html`<p class="notice bad" role="status"><strong>${numberText(config.REPORTS_OPEN_MAX)} reports are open, the maximum.</strong> New ones are refused until you close some.</p>`}
${total === 0 ? nothing : table()}
${waysSection(parts.services)}`,
    };
  });
}

/** What an operator registers at the providers. */
function waysSection(services: Services): Html {
  const rows = callbackUrls(services.config).map(
    ({ way, url }) =>
      html`${fact(services[way]?.name ?? way, html`Callback address: <code class="wrap-anywhere">${url}</code>`)}
`,
  );
  if (rows.length === 0) return html``;
  return html`<section class="panel" aria-labelledby="ways-title"><h2 id="ways-title">Sign-in</h2>
<dl class="facts plain">
${rows}</dl></section>`;
}

function hrefOf(page: number): string {
  return page === 1 ? operatorPaths.reports : `${operatorPaths.reports}?page=${page}`;
}

const nothing: Html = html`<section class="empty"><h2>Nothing to do</h2>
<p>Readers report pages with the link in the viewer. To look at a page, an account or a token without a report, find it.</p>
<p><a class="button quiet" href="${operatorPaths.find}">Find</a></p></section>`;

/** @param owned null: the page was deleted, or it has expired @param most the maximum of open reports of a page */
function row({ slug, open, reasons, newest }: ReportedPage, owned: OwnedPage | null, most: number): Html {
  const title = owned === null ? soft('Deleted page') : visible(owned.drop.title);
  return html`<tr>
<th scope="row" class="main"><a class="clip-2" href="${operatorPaths.page(slug)}">${title}</a>
<p class="meta"><code class="wrap-anywhere">${slug}</code>${owned && html`<span class="wrap-anywhere">by ${accountLink(owned.drop.ownerId, owned.owner)}</span>${pageBadges(owned.drop)}${suspendedBadge(owned.owner)}`}</p></th>
<td class="number" data-label="Open reports">${open}${open >= most && html` <span class="badge warn">Maximum</span>`}</td>
<td data-label="Reasons"><span>${reasons.map(([reason, count], i) => html`${i > 0 && ', '}<span class="nowrap">${reason} ${count}</span>`)}</span></td>
<td data-label="Newest">${timeAgo(newest)}</td>
</tr>
`;
}

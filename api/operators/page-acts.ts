import type { Request } from 'express';
import type { Drop } from '../../shared/domain/drop.ts';
import { reportIdPattern } from '../../shared/domain/report.ts';
import type { Services } from '../../shared/open-services.ts';
import type { ChangedPage } from '../../shared/services/moderation.ts';
import { html, visible } from '../html/html.ts';
import { countOf } from '../html/quantity.ts';
import { timeTag } from '../html/time.ts';
import { readSlug } from '../http/parameters.ts';
import type { Act } from './act-handlers.ts';
import { accountLink, crumbs, visibleLines } from './parts.ts';
import { operatorPaths } from './paths.ts';
import type { pageNotices } from './reported-page-view.ts';

type Notice = keyof typeof pageNotices;

/** What operators do to a page and its reports. */
export function pageActs({ moderation, reports }: Pick<Services, 'moderation' | 'reports'>) {
  /** The open reports: how many, and a text that changes with each new one. */
  async function openReports(slug: string, limit = 1_000) {
    const open = await reports.list({ slug, withClosed: false }, limit);
    return { count: open.length, seen: `${open.length} ${open[0]?.id ?? ''}` };
  }

  const takedown: Act = {
    target: 'page',
    async describe(req) {
      const slug = readSlug(req);
      const owned = await moderation.describePage(slug);
      if (owned === null) return null;
      const { drop, owner } = owned;
      const { count } = await openReports(slug);
      const before = drop.takedown;
      return {
        ...pagePart(drop),
        title: before === null ? 'Take this page down?' : 'Change the reason of the takedown?',
        body: html`<p>${visible(drop.title)}<br><span class="soft">by ${accountLink(drop.ownerId, owner)}</span></p>
${
  before === null
    ? html`<p>Viewers get 410 at once, for the page and all its versions. The owner still sees it in the dashboard and the API, reads your reason, and can download or delete it. You can restore the page later.</p>`
    : html`<p>The page is offline since ${timeTag(before.at)}. Its reason was: ${visible(before.reason)}</p>`
}`,
        button: before === null ? 'Take down' : 'Change the reason',
        isDangerous: before === null,
        readers: 'the owner of the page, and the log',
        fields:
          count > 0 &&
          html`<label class="choice"><input type="checkbox" name="close" value="yes" checked><span>Also close ${count === 1 ? 'the open report' : `the ${count} open reports`}</span></label>`,
        refusal: null,
        seen: stateOf(drop),
      };
    },
    async perform(req, operator, form) {
      const slug = readSlug(req);
      const changed = await moderation.takeDown(slug, operator);
      if (form.get('close') === 'yes') await reports.closeByPage(slug, operator);
      return noticeOf(changed, 'taken-down');
    },
  };

  const restore: Act = {
    target: 'page',
    async describe(req) {
      const owned = await moderation.describePage(readSlug(req));
      if (owned === null) return null;
      const { drop, owner } = owned;
      return {
        ...pagePart(drop),
        title: 'Put this page online again?',
        body: html`<p>${visible(drop.title)}<br><span class="soft">by ${accountLink(drop.ownerId, owner)}</span></p>
${drop.takedown !== null && html`<p>It is offline since ${timeTag(drop.takedown.at)}: ${visible(drop.takedown.reason)}</p>`}`,
        button: 'Restore',
        isDangerous: false,
        readers: 'the log',
        refusal: drop.takedown === null ? 'The page is online' : null,
        seen: stateOf(drop),
      };
    },
    perform: async (req, operator) => noticeOf(await moderation.restore(readSlug(req), operator), 'restored'),
  };

  /** Of a page that was deleted, too. */
  const closeReports: Act = {
    target: 'page',
    async describe(req) {
      const slug = readSlug(req);
      const [owned, { count, seen }] = await Promise.all([moderation.describePage(slug), openReports(slug)]);
      const title = owned?.drop.title ?? 'Deleted page';
      return {
        title: 'Close all open reports of this page?',
        crumbs: crumbs(slug, title),
        body: html`<p>${visible(title)}: ${countOf(count, 'open report')}. The page itself does not change.</p>`,
        button: 'Close all',
        isDangerous: false,
        readers: 'the log',
        refusal: count === 0 ? 'No report of this page is open' : null,
        seen,
        back: operatorPaths.page(slug),
      };
    },
    async perform(req, operator) {
      await reports.closeByPage(readSlug(req), operator);
      return 'reports-closed' satisfies Notice;
    },
  };

  const closeReport: Act = {
    target: 'report',
    async describe(req) {
      const report = await reports.read(reportId(req));
      if (report === null) return null;
      const { slug, reason, version, text, closedAt, createdAt } = report;
      const owned = await moderation.describePage(slug);
      return {
        title: 'Close this report?',
        crumbs: crumbs(slug, owned?.drop.title ?? 'Deleted page'),
        body: html`<p><strong>${reason}</strong>, version ${version}, ${timeTag(createdAt)}</p>
${text !== '' && html`<p class="wrap-anywhere">${visibleLines(text)}</p>`}
<p>The page itself does not change.</p>`,
        button: 'Close report',
        isDangerous: false,
        readers: 'the log',
        refusal: closedAt === null ? null : 'The report is closed',
        seen: String(closedAt ?? 'open'),
        back: operatorPaths.page(slug),
      };
    },
    async perform(req, operator) {
      await reports.close(reportId(req), operator);
      return 'report-closed' satisfies Notice;
    },
  };

  return { takedown, restore, closeReports, closeReport };
}

function pagePart({ slug, title }: Drop) {
  return { crumbs: crumbs(slug, title), back: operatorPaths.page(slug) };
}

/** Not the page's revision: an owner who changes the page all the time must not keep operators from acting. */
function stateOf({ takedown }: Drop): string {
  return takedown === null ? 'online' : `offline ${takedown.at} ${takedown.reason.length}`;
}

function noticeOf({ edge }: ChangedPage, done: Notice): Notice {
  return edge === 'not confirmed' ? 'edge-not-confirmed' : done;
}

function reportId({ params: { id } }: Request): string {
  return typeof id === 'string' && reportIdPattern.test(id) ? id : '';
}

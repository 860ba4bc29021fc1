import type { Request } from 'express';
import type { Drop } from '../../shared/drops/drop.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import type { ChangedPage, OwnedPage } from '../../shared/moderation/moderation.ts';
import { reportIdPattern } from '../../shared/reports/report.ts';
import { type Html, html, visible } from '../html/html.ts';
import { countOf, timeTag } from '../html/parts.ts';
import { readSlug } from '../http/parameters.ts';
import type { ActPage, OperatorAct } from './acts.ts';
import { accountLink, operatorPaths, pageCrumbs, visibleLines } from './parts.ts';

/** What the last form has done. */
export const pageNotices = {
  'taken-down': 'The page is offline. Viewers get 410, and the owner sees your reason.',
  restored: 'The page is online again.',
  'edge-not-confirmed':
    'It is done here, but the cache in front did not confirm the purge and may show the page as it was. The worker repeats the purge.',
  'report-closed': 'The report is closed.',
  'reports-closed': 'The open reports of this page are closed.',
  'inspection-ended': 'That look at the page has ended. Look again, if you need to.',
} as const;

type Notice = keyof typeof pageNotices;

/** What operators do to a page and its reports. */
export function pageActs({ moderation, reports }: Pick<Services, 'moderation' | 'reports'>) {
  /** The open reports: how many, and a text that changes with each new one. */
  async function openReports(slug: string, limit = 1_000) {
    const open = await reports.list({ slug, withClosed: false }, limit);
    return { count: open.length, seen: `${open.length} ${open[0]?.id ?? ''}` };
  }

  /** An act on a page that exists. */
  function onPage(
    describe: (owned: OwnedPage) => Promise<Omit<ActPage, 'crumbs' | 'back' | 'seen'>>,
    perform: OperatorAct['perform'],
  ): OperatorAct {
    return {
      target: 'page',
      async describe(req) {
        const owned = await moderation.describePage(readSlug(req));
        if (owned === null) return null;
        const { slug, title } = owned.drop;
        return { ...(await describe(owned)), ...wayBack(slug, title), seen: stateOf(owned.drop) };
      },
      perform,
    };
  }

  const takedown = onPage(
    async (owned) => {
      const { slug, takedown: before } = owned.drop;
      const { count } = await openReports(slug);
      const shared = {
        readers: 'the owner of the page, and the log',
        fields:
          count > 0 &&
          html`<label class="choice"><input type="checkbox" name="close" value="yes" checked><span>Also close ${count === 1 ? 'the open report' : `the ${count} open reports`}</span></label>`,
      };
      return before === null
        ? {
            ...shared,
            title: 'Take this page down?',
            body: html`${about(owned)}
<p>Viewers get 410 at once, for the page and all its versions. The owner still sees it in the dashboard and the API, reads your reason, and can download or delete it. You can restore the page later.</p>`,
            button: 'Take down',
            isDangerous: true,
          }
        : {
            ...shared,
            title: 'Change the reason of the takedown?',
            body: html`${about(owned)}
<p>The page is offline since ${timeTag(before.at)}. Its reason was: ${visible(before.reason)}</p>`,
            button: 'Change the reason',
          };
    },
    async (req, operator, form) => {
      const slug = readSlug(req);
      const changed = await moderation.takeDown(slug, operator);
      if (form.get('close') === 'yes') await reports.closeByPage(slug, operator);
      return noticeOf(changed, 'taken-down');
    },
  );

  const restore = onPage(
    async (owned) => ({
      title: 'Put this page online again?',
      body: html`${about(owned)}
${owned.drop.takedown !== null && html`<p>It is offline since ${timeTag(owned.drop.takedown.at)}: ${visible(owned.drop.takedown.reason)}</p>`}`,
      button: 'Restore',
      refusal: owned.drop.takedown === null && 'The page is online',
    }),
    async (req, operator) => noticeOf(await moderation.restore(readSlug(req), operator), 'restored'),
  );

  /** Of a page that was deleted, too. */
  const closeReports: OperatorAct = {
    target: 'page',
    async describe(req) {
      const slug = readSlug(req);
      const [owned, { count, seen }] = await Promise.all([moderation.describePage(slug), openReports(slug)]);
      const title = owned?.drop.title ?? 'Deleted page';
      return {
        ...wayBack(slug, title),
        title: 'Close all open reports of this page?',
        body: html`<p>${visible(title)}: ${countOf(count, 'open report')}. The page itself does not change.</p>`,
        button: 'Close all',
        refusal: count === 0 && 'No report of this page is open',
        seen,
      };
    },
    async perform(req, operator) {
      await reports.closeByPage(readSlug(req), operator);
      return 'reports-closed' satisfies Notice;
    },
  };

  const closeReport: OperatorAct = {
    target: 'report',
    async describe(req) {
      const report = await reports.read(reportId(req));
      if (report === null) return null;
      const { slug, reason, version, text, closedAt, createdAt } = report;
      const owned = await moderation.describePage(slug);
      return {
        ...wayBack(slug, owned?.drop.title ?? 'Deleted page'),
        title: 'Close this report?',
        body: html`<p><strong>${reason}</strong>, version ${version}, ${timeTag(createdAt)}</p>
${text !== '' && html`<p class="wrap-anywhere">${visibleLines(text)}</p>`}
<p>The page itself does not change.</p>`,
        button: 'Close report',
        refusal: closedAt !== null && 'The report is closed',
        seen: String(closedAt ?? 'open'),
      };
    },
    async perform(req, operator) {
      await reports.close(reportId(req), operator);
      return 'report-closed' satisfies Notice;
    },
  };

  return { takedown, restore, closeReports, closeReport };
}

function about({ drop: { title, ownerId }, owner }: OwnedPage): Html {
  return html`<p>${visible(title)}<br><span class="soft">by ${accountLink(ownerId, owner)}</span></p>`;
}

function wayBack(slug: string, title: string) {
  return { crumbs: pageCrumbs(slug, title), back: operatorPaths.page(slug) };
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

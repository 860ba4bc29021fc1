import type { Request } from 'express';
import { type Comment, commentIdPattern } from '../../shared/comments/comment.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import type { ChangedPage, OwnedPage } from '../../shared/moderation/moderation.ts';
import { type Report, reportIdPattern } from '../../shared/reports/report.ts';
import { html, visible, visibleLines } from '../html/html.ts';
import { countOf, timeTag } from '../html/parts.ts';
import { readSlug } from '../http/parameters.ts';
import type { OperatorAct } from './acts.ts';
import { accountLink, commentQuote, operatorPaths, pageCrumbs } from './parts.ts';

export const pageNotices = {
  'taken-down': 'The page is offline. Viewers get 410, and the owner sees your reason.',
  restored: 'The page is online again.',
  'edge-not-confirmed':
    'It is done here, but the cache in front did not confirm the purge and may show the page as it was. The worker repeats the purge.',
  'report-closed': 'The report is closed.',
  'reports-closed': 'The open reports of this page are closed.',
  'comment-deleted': 'The comment is deleted. Reports about it stay open until you close them.',
  'inspection-ended': 'That look at the page has ended. Look again, if you need to.',
} as const;

type Notice = keyof typeof pageNotices;

export function pageActs({ moderation, reports }: Pick<Services, 'moderation' | 'reports'>) {
  /** The open reports: how many, and a text that changes with each new one. */
  async function openReports(slug: string, limit = 1_000) {
    const open = await reports.list({ slug, withClosed: false }, limit);
    return { count: open.length, seen: `${open.length} ${open[0]?.id ?? ''}` };
  }

  const findPage = (req: Request) => moderation.describePage(readSlug(req));

  function ofPage({ drop: { slug, title, ownerId, takedown }, owner }: OwnedPage) {
    return {
      ...wayBack(slug, title),
      about: html`<p>${visible(title)}<br><span class="soft">by ${accountLink(ownerId, owner)}</span></p>`,
      // Not the page's revision: an owner who changes the page all the time must not keep operators from acting.
      seen: takedown === null ? 'online' : `offline ${takedown.at} ${takedown.reason.length}`,
    };
  }

  const takedown: OperatorAct<OwnedPage> = {
    path: operatorPaths.takedown(':slug'),
    target: 'page',
    find: findPage,
    async describe(owned) {
      const { slug, takedown: before } = owned.drop;
      const { count } = await openReports(slug);
      const { about, ...shared } = {
        ...ofPage(owned),
        readers: 'the owner of the page, and the log',
        fields:
          count > 0 &&
          html`<label class="choice"><input type="checkbox" name="close" value="yes" checked><span>Also close ${count === 1 ? 'the open report' : `the ${count} open reports`}</span></label>`,
      };
      return before === null
        ? {
            ...shared,
            title: 'Take this page down?',
            body: html`${about}
<p>Viewers get 410 at once, for the page and all its versions. The owner still sees it in the dashboard and the API, reads your reason, and can download or delete it. You can restore the page later.</p>`,
            button: 'Take down',
            isDangerous: true,
          }
        : {
            ...shared,
            title: 'Change the reason of the takedown?',
            body: html`${about}
<p>The page is offline since ${timeTag(before.at)}. Its reason was: ${visible(before.reason)}</p>`,
            button: 'Change the reason',
          };
    },
    async perform({ drop: { slug } }, operator, form) {
      const changed = await moderation.takeDown(slug, operator);
      if (form.get('close') === 'yes') await reports.closeByPage(slug, operator);
      return noticeOf(changed, 'taken-down');
    },
  };

  const restore: OperatorAct<OwnedPage> = {
    path: operatorPaths.restore(':slug'),
    target: 'page',
    find: findPage,
    describe(owned) {
      const { about, ...shared } = ofPage(owned);
      const { takedown: before } = owned.drop;
      return {
        ...shared,
        title: 'Put this page online again?',
        body: html`${about}
${before !== null && html`<p>It is offline since ${timeTag(before.at)}: ${visible(before.reason)}</p>`}`,
        button: 'Restore',
        refusal: before === null && 'The page is online',
      };
    },
    perform: async ({ drop: { slug } }, operator) =>
      noticeOf(await moderation.restore(slug, operator), 'restored'),
  };

  /** The page may be deleted. */
  const closeReports: OperatorAct<string> = {
    path: operatorPaths.closeReports(':slug'),
    target: 'page',
    find: async (req) => readSlug(req),
    async describe(slug) {
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
    async perform(slug, operator) {
      await reports.closeByPage(slug, operator);
      return 'reports-closed' satisfies Notice;
    },
  };

  const closeReport: OperatorAct<Report> = {
    path: operatorPaths.closeReport(':id'),
    target: 'report',
    find: async ({ params: { id } }) =>
      typeof id === 'string' && reportIdPattern.test(id) ? reports.read(id) : null,
    async describe({ slug, reason, version, text, closedAt, createdAt }) {
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
    async perform({ id }, operator) {
      await reports.close(id, operator);
      return 'report-closed' satisfies Notice;
    },
  };

  const deleteComment: OperatorAct<Comment> = {
    path: operatorPaths.deleteComment(':id'),
    target: 'comment',
    find: async ({ params: { id } }) =>
      typeof id === 'string' && commentIdPattern.test(id) ? moderation.findComment(id) : null,
    async describe(comment) {
      const owned = await moderation.describePage(comment.slug);
      return {
        ...wayBack(comment.slug, owned?.drop.title ?? 'Deleted page'),
        title: 'Delete this comment and its replies?',
        body: html`${commentQuote(comment)}
<p>This cannot be undone. The page itself does not change.</p>`,
        button: 'Delete',
        isDangerous: true,
        seen: '',
      };
    },
    async perform(comment, operator) {
      await moderation.deleteComment(comment, operator);
      return 'comment-deleted' satisfies Notice;
    },
  };

  return { takedown, restore, closeReports, closeReport, deleteComment };
}

function wayBack(slug: string, title: string) {
  return { crumbs: pageCrumbs(slug, title), back: operatorPaths.page(slug) };
}

function noticeOf({ edge }: ChangedPage, done: Notice): Notice {
  return edge === 'not confirmed' ? 'edge-not-confirmed' : done;
}

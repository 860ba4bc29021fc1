import { type Comment, commentIdPattern } from '../../shared/comments/comment.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { type Report, reportIdPattern } from '../../shared/reports/report.ts';
import { countOf, timeTag } from '../html/elements.ts';
import { html, visible, visibleLines } from '../html/html.ts';
import { readSlug } from '../http/parameters.ts';
import { effectOf, type OperatorAct } from './acts.ts';
import { commentQuote } from './labels.ts';
import { openReports, wayBack } from './page-acts.ts';
import { operatorPaths } from './paths.ts';

type ActServices = Pick<Services, 'moderation' | 'reports'>;

const deletedPage = 'Deleted page';

/** On all open reports of a page, by its slug: the page may be deleted. */
export function closeReportsAct({ moderation, reports }: ActServices): OperatorAct<string> {
  return {
    name: 'close-reports',
    path: operatorPaths.closeReports(':slug'),
    find: async (req) => readSlug(req),
    async describe(slug) {
      const [owned, { count, seen }] = await Promise.all([
        moderation.describePage(slug),
        openReports(reports, slug),
      ]);
      const title = owned?.drop.title ?? deletedPage;
      return {
        ...wayBack(slug, title),
        body: html`<p>${visible(title)}: ${countOf(count, 'open report')}.</p>\n${effectOf('close-reports')}`,
        isDone: count === 0,
        seen,
      };
    },
    async perform(slug, operator) {
      await reports.closeByPage(slug, operator);
      return undefined;
    },
  };
}

export function closeReportAct({ moderation, reports }: ActServices): OperatorAct<Report> {
  return {
    name: 'close-report',
    path: operatorPaths.closeReport(':id'),
    find: async ({ params: { id } }) =>
      typeof id === 'string' && reportIdPattern.test(id) ? reports.read(id) : null,
    async describe({ slug, reason, version, text, closedAt, createdAt }) {
      const owned = await moderation.describePage(slug);
      return {
        ...wayBack(slug, owned?.drop.title ?? deletedPage),
        body: html`<p><strong>${reason}</strong>, version ${version}, ${timeTag(createdAt)}</p>
${text !== '' && html`<p class="wrap-anywhere">${visibleLines(text)}</p>`}
${effectOf('close-report')}`,
        isDone: closedAt !== null,
        seen: String(closedAt ?? 'open'),
      };
    },
    async perform({ id }, operator) {
      await reports.close(id, operator);
      return undefined;
    },
  };
}

export function deleteCommentAct({ moderation }: ActServices): OperatorAct<Comment> {
  return {
    name: 'delete-comment',
    path: operatorPaths.deleteComment(':id'),
    find: async ({ params: { id } }) =>
      typeof id === 'string' && commentIdPattern.test(id) ? moderation.findComment(id) : null,
    async describe(comment) {
      const owned = await moderation.describePage(comment.slug);
      return {
        ...wayBack(comment.slug, owned?.drop.title ?? deletedPage),
        body: html`${commentQuote(comment)}\n${effectOf('delete-comment')}`,
        seen: '',
      };
    },
    async perform(comment, operator) {
      await moderation.deleteComment(comment, operator);
      return undefined;
    },
  };
}

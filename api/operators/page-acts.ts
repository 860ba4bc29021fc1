import type { Request } from 'express';
import type { Services } from '../../shared/engines/open-services.ts';
import type { ChangedPage, OwnedPage } from '../../shared/moderation/moderation.ts';
import type { Reports } from '../../shared/reports/reports.ts';
import { timeTag } from '../html/elements.ts';
import { html, visible } from '../html/html.ts';
import { readSlug } from '../http/parameters.ts';
import { effectOf, noticesOf, type OperatorAct } from './acts.ts';
import { accountLink, pageCrumbs } from './labels.ts';
import { operatorPaths } from './paths.ts';

export const pageNotices = {
  ...noticesOf('takedown', 'restore', 'close-report', 'close-reports', 'delete-comment'),
  'edge-not-confirmed':
    'It is done here, but the cache in front did not confirm the purge and may show the page as it was. The worker repeats the purge.',
  'inspection-ended': 'That look at the page has ended. Look again, if you need to.',
} as const;

type ActServices = Pick<Services, 'moderation' | 'reports'>;

export function takedownAct({ moderation, reports }: ActServices): OperatorAct<OwnedPage> {
  return {
    name: 'takedown',
    path: operatorPaths.takedown(':slug'),
    find: (req) => findPage(moderation, req),
    async describe(owned) {
      const { slug, takedown: before } = owned.drop;
      const { count } = await openReports(reports, slug);
      const { about, ...shared } = ofPage(owned);
      const fields =
        count > 0 &&
        html`<label class="choice"><input type="checkbox" name="close" value="yes" checked><span>Also close ${count === 1 ? 'the open report' : `the ${count} open reports`}</span></label>`;
      if (before === null) return { ...shared, fields, body: html`${about}\n${effectOf('takedown')}` };
      return {
        ...shared,
        fields,
        words: { title: 'Change the reason of the takedown?', button: 'Change the reason' },
        body: html`${about}
<p>The page is offline since ${timeTag(before.at)}. Its reason was: ${visible(before.reason)}</p>`,
      };
    },
    async perform({ drop: { slug } }, operator, form) {
      const changed = await moderation.takeDown(slug, operator);
      if (form.get('close') === 'yes') await reports.closeByPage(slug, operator);
      return noticeOf(changed);
    },
  };
}

export function restoreAct({ moderation }: ActServices): OperatorAct<OwnedPage> {
  return {
    name: 'restore',
    path: operatorPaths.restore(':slug'),
    find: (req) => findPage(moderation, req),
    describe(owned) {
      const { about, ...shared } = ofPage(owned);
      const { takedown: before } = owned.drop;
      return {
        ...shared,
        body: html`${about}
${before !== null && html`<p>It is offline since ${timeTag(before.at)}: ${visible(before.reason)}</p>`}`,
        isDone: before === null,
      };
    },
    perform: async ({ drop: { slug } }, operator) => noticeOf(await moderation.restore(slug, operator)),
  };
}

/** The open reports of a page: how many, and a text that changes with each new one. */
export async function openReports(reports: Pick<Reports, 'list'>, slug: string) {
  const open = await reports.list({ slug, withClosed: false }, 1_000);
  return { count: open.length, seen: `${open.length} ${open[0]?.id ?? ''}` };
}

export function wayBack(slug: string, title: string) {
  return { crumbs: pageCrumbs(slug, title), back: operatorPaths.page(slug) };
}

function findPage(moderation: Services['moderation'], req: Request): Promise<OwnedPage | null> {
  return moderation.describePage(readSlug(req));
}

function ofPage({ drop: { slug, title, ownerId, takedown }, owner }: OwnedPage) {
  return {
    ...wayBack(slug, title),
    about: html`<p>${visible(title)}<br><span class="soft">by ${accountLink(ownerId, owner)}</span></p>`,
    // Not the page's revision: an owner who changes the page all the time must not keep operators from acting.
    seen: takedown === null ? 'online' : `offline ${takedown.at} ${takedown.reason.length}`,
  };
}

function noticeOf({ edge }: ChangedPage): keyof typeof pageNotices | undefined {
  return edge === 'not confirmed' ? 'edge-not-confirmed' : undefined;
}

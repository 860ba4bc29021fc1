import type { Request, Response } from 'express';
import { reportIdPattern } from '../../shared/domain/report.ts';
import type { Services } from '../../shared/open-services.ts';
import type { Layout } from '../html/layout.ts';
import { queryOf, readSlug } from '../http/parameters.ts';
import type { Session } from '../http/session.ts';
import { createSender } from './parts.ts';
import { reportedPageView } from './reported-page-view.ts';

const reportsAtOnce = 25;

/** GET /operators/pages/{slug}: one page with its reports, which outlive it. `closed` shows closed ones, too. */
export function reportedPageHandler({ moderation, reports, config }: Services, layout: Layout) {
  const { send, sendGone } = createSender(layout);

  return async (req: Request, res: Response, session: Session): Promise<void> => {
    const slug = readSlug(req);
    const { closed, before, notice } = queryOf(req);
    const filter = {
      slug,
      withClosed: closed !== undefined,
      ...(typeof before === 'string' && reportIdPattern.test(before) && { before }),
    };
    const [owned, found, isKnown] = await Promise.all([
      moderation.describePage(slug),
      reports.list(filter, reportsAtOnce + 1),
      reports.list({ slug, withClosed: true }, 1),
    ]);
    if (owned === null && isKnown.length === 0) {
      sendGone(res, session, 'page');
      return;
    }
    const shown = found.slice(0, reportsAtOnce);
    const older = found.length > shown.length ? (shown.at(-1)?.id ?? null) : null;
    const versions = owned === null ? [] : await moderation.listVersions(owned.drop);
    const { formField } = session;
    const list = { shown, older, withClosed: filter.withClosed };
    const view = { slug, owned, versions, list, notice, formField, baseUrl: config.BASE_URL };
    send(res, 200, session, reportedPageView(view));
  };
}

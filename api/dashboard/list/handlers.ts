import type { Request, Response } from 'express';
import { DropError } from '../../../shared/domain/errors.ts';
import type { Services } from '../../../shared/open-services.ts';
import type { Layout } from '../../html/layout.ts';
import { setStatusAndHeaders } from '../../http/answer-error.ts';
import { presentError } from '../../http/http-error.ts';
import { type Query, queryOf } from '../../http/parameters.ts';
import { sendPage } from '../../http/send.ts';
import type { Session } from '../../http/session.ts';
import { createAddressReader, type ListAddress, listHref, pageSize, toDropQuery } from './address.ts';
import { listPage } from './page.ts';

/** The days of the small lines of views. */
const sparklineDays = 30;

/** GET /drops: what an owner has published. */
export function listHandlers({ drops, viewStats, config }: Services, layout: Layout) {
  const readAddress = createAddressReader(config);

  return {
    async show(req: Request, res: Response, session: Session): Promise<void> {
      const query = queryOf(req);
      let address: ListAddress;
      try {
        address = readAddress(query);
      } catch (error) {
        if (!(error instanceof DropError)) throw error;
        refuse(res, session, query, error);
        return;
      }
      const found = await drops.list(session.caller, toDropQuery(address));
      const lastPage = Math.max(1, Math.ceil(found.total / pageSize));
      if (address.page > lastPage) {
        res.redirect(303, listHref(address, { page: lastPage })); // its drops were deleted
        return;
      }
      const recent = await viewStats.readRecent(found.drops, sparklineDays);
      const listed = found.drops.map((drop) => ({ drop, recentViews: recent.get(drop.id) ?? [] }));
      const { total } = found;
      const parts = { address, listed, total, notice: query.notice, formField: session.formField };
      sendPage(res, 200, layout.dashboard(session, 'drops', listPage(parts, config)));
    },
  };

  /** The page with the search as it was typed, and why it is not valid. */
  function refuse(res: Response, session: Session, query: Query, error: DropError): void {
    const words = typeof query.q === 'string' ? query.q : '';
    const refused = { words, envelope: presentError(error) };
    const nothing = { address: readAddress({}), listed: [], total: 0, notice: undefined };
    const parts = { ...nothing, formField: session.formField, refused };
    sendPage(
      res,
      setStatusAndHeaders(res, error),
      layout.dashboard(session, 'drops', listPage(parts, config)),
    );
  }
}

import type { Request, Response } from 'express';
import type { Caller } from '../../../shared/domain/account.ts';
import { DropError } from '../../../shared/domain/errors.ts';
import type { Target } from '../../../shared/services/drops.ts';
import { readRevisions } from '../../drops/target-fields.ts';
import type { Layout, PageParts } from '../../html/layout.ts';
import { isNavigation, setStatusAndHeaders } from '../../http/answer-error.ts';
import { type ErrorEnvelope, presentError } from '../../http/http-error.ts';
import { readSlug } from '../../http/parameters.ts';
import { sendPage } from '../../http/send.ts';
import type { Session } from '../../http/session.ts';

interface Confirmation {
  /** @param envelope the error of the last attempt */
  page(req: Request, session: Session, envelope?: ErrorEnvelope): Promise<PageParts>;
  /** Does it, to the drop as the page showed it. Returns where the browser goes. */
  act(caller: Caller, target: Target, req: Request): Promise<string>;
}

/** The handlers of a page that says what will happen (GET), and does it when its form is sent (POST). */
export function confirmationHandlers(layout: Layout, { page, act }: Confirmation) {
  async function send(
    req: Request,
    res: Response,
    session: Session,
    status: number,
    envelope?: ErrorEnvelope,
  ) {
    sendPage(res, status, layout.dashboard(session, 'drops', await page(req, session, envelope)));
  }

  return {
    ask: (req: Request, res: Response, session: Session) => send(req, res, session, 200),

    /** An error is shown above the form, which is about the drop as it is now. */
    async confirm(
      req: Request,
      res: Response,
      session: Session,
      form: ReadonlyMap<string, string>,
    ): Promise<void> {
      const slug = readSlug(req);
      try {
        const target = { slug, revs: readRevisions(form.get('if_match') ?? '') };
        res.redirect(303, await act(session.caller, target, req));
      } catch (error) {
        if (!(error instanceof DropError) || !isNavigation(req)) throw error;
        await send(req, res, session, setStatusAndHeaders(res, error), presentError(error));
      }
    },
  };
}

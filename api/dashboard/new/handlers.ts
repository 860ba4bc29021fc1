import type { Request, Response } from 'express';
import type { Drop, WriteIds } from '../../../shared/domain/drop.ts';
import { DropError, nullIfNotFound } from '../../../shared/domain/errors.ts';
import { randomBase62 } from '../../../shared/domain/ids.ts';
import type { Services } from '../../../shared/open-services.ts';
import { presentDrop } from '../../drops/presenter.ts';
import type { Layout } from '../../html/layout.ts';
import { isNavigation, setStatusAndHeaders } from '../../http/answer-error.ts';
import type { ReadBody } from '../../http/body.ts';
import { presentError } from '../../http/http-error.ts';
import { queryOf } from '../../http/parameters.ts';
import { sendJson, sendPage } from '../../http/send.ts';
import type { Admit, Session } from '../../http/session.ts';
import { type FormParts, formKeyLength, keyOfForm, shownAgain } from './document.ts';
import { createNewFormReader, noFields, readFields } from './form.ts';
import { newPage } from './page.ts';
import { createFormReceiver } from './receive.ts';

/** GET and POST /drops/new: a person publishes a file or what they paste. */
export function newDropHandlers(services: Services, readBody: ReadBody, layout: Layout) {
  const { drops, idempotency, clock, config } = services;
  const form = createNewFormReader(services);
  const receive = createFormReceiver(config, readBody);

  async function findPublished({ caller }: Session, slug: unknown): Promise<Drop | null> {
    return typeof slug === 'string' ? await drops.get(caller, slug).catch(nullIfNotFound) : null;
  }

  async function publish({ caller }: Session, parts: FormParts): Promise<Drop> {
    const input = await form.read(caller, parts, clock.now());
    const create = (ids?: WriteIds) => drops.create(caller, input, ids);
    return (await idempotency.once(caller, keyOfForm('/drops/new', parts), null, create)).drop;
  }

  return {
    async show(req: Request, res: Response, session: Session): Promise<void> {
      const published = await findPublished(session, queryOf(req).published);
      const fields = { ...noFields, key: randomBase62(formKeyLength) };
      const parts = { fields, published, formField: session.formField };
      sendPage(res, 200, layout.dashboard(session, 'new', newPage(parts, config)));
    },

    /** A script gets the drop, or the error's envelope; a person's form leads back to the page. */
    publish: (req: Request, res: Response, session: Session, admit: Admit) =>
      receive(req, session, admit, async (admitted, parts) => {
        try {
          const drop = await publish(admitted, parts);
          if (isNavigation(req)) res.redirect(303, `/drops/new?published=${drop.slug}`);
          else sendJson(res, presentDrop(drop, config.BASE_URL), 201);
        } catch (error) {
          if (!(error instanceof DropError) || !isNavigation(req)) throw error;
          const { passcode: _, html, ...rest } = readFields(parts);
          const fields = { ...rest, html: shownAgain(html) };
          const { formField } = session;
          const page = newPage({ fields, published: null, formField, envelope: presentError(error) }, config);
          sendPage(res, setStatusAndHeaders(res, error), layout.dashboard(session, 'new', page));
        }
      }),
  };
}

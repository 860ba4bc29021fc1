import type { Request, Response } from 'express';
import type { Caller } from '../../../shared/domain/account.ts';
import type { WriteIds } from '../../../shared/domain/drop.ts';
import { DropError } from '../../../shared/domain/errors.ts';
import { randomBase62 } from '../../../shared/domain/ids.ts';
import type { Services } from '../../../shared/open-services.ts';
import { readRevisions } from '../../drops/target-fields.ts';
import type { Layout } from '../../html/layout.ts';
import { setStatusAndHeaders } from '../../http/answer-error.ts';
import type { ReadBody } from '../../http/body.ts';
import { presentError } from '../../http/http-error.ts';
import { readSlug } from '../../http/parameters.ts';
import { newVersionPath, ownerPath } from '../../http/paths.ts';
import { sendPage } from '../../http/send.ts';
import type { Admit, Session } from '../../http/session.ts';
import { type FormParts, formKeyLength, keyOfForm, readDocument, shownAgain, textOf } from './document.ts';
import { createFormReceiver } from './receive.ts';
import { type VersionForm, versionPage } from './version-page.ts';

/** GET and POST /drops/{slug}/new-version: a person publishes another document at the address of a drop. */
export function newVersionHandlers(services: Services, readBody: ReadBody, layout: Layout) {
  const { drops, idempotency, config } = services;
  const receive = createFormReceiver(config, readBody);

  /** The form is about the drop as it is now, so that sending it again after a conflict publishes after what is live. */
  async function send(
    res: Response,
    session: Session,
    slug: string,
    form: Pick<VersionForm, 'pasted' | 'key' | 'envelope'>,
    status: number,
  ): Promise<void> {
    const drop = await drops.get(session.caller, slug);
    const parts = versionPage({ ...form, drop, formField: session.formField }, config);
    sendPage(res, status, layout.dashboard(session, 'drops', parts));
  }

  /** Title, description, tags and passcode stay. The same form sent twice publishes once. */
  async function publish(caller: Caller, slug: string, parts: FormParts): Promise<void> {
    const html = readDocument(parts, config.HTML_MAX_BYTES);
    const target = { slug, revs: readRevisions(textOf(parts, 'if_match')) };
    const add = (ids?: WriteIds) => drops.addVersion(caller, target, { html, context: null }, ids);
    await idempotency.once(caller, keyOfForm(newVersionPath(slug), parts), slug, add);
  }

  return {
    async show(req: Request, res: Response, session: Session): Promise<void> {
      const form = { pasted: '', key: randomBase62(formKeyLength) };
      await send(res, session, readSlug(req), form, 200);
    },

    publish: (req: Request, res: Response, session: Session, admit: Admit) =>
      receive(req, session, admit, async ({ caller }, parts) => {
        const slug = readSlug(req);
        try {
          await publish(caller, slug, parts);
          res.redirect(303, `${ownerPath(slug)}?notice=published`);
        } catch (error) {
          if (!(error instanceof DropError)) throw error;
          const form = {
            pasted: shownAgain(textOf(parts, 'html')),
            key: textOf(parts, 'key'),
            envelope: presentError(error),
          };
          await send(res, session, slug, form, setStatusAndHeaders(res, error));
        }
      }),
  };
}

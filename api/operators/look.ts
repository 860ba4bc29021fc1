import type { Request, Response } from 'express';
import type { PageWithVersion } from '../../shared/domain/drop.ts';
import { DropError } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/open-services.ts';
import type { Layout } from '../html/layout.ts';
import { queryOf, readSlug, toPositiveInteger } from '../http/parameters.ts';
import { sendBytes } from '../http/send.ts';
import type { Session } from '../http/session.ts';
import { setDownloadHeaders } from '../source/html.ts';
import { type Form, nameOf } from './access.ts';
import { framePolicy, lookView, withoutConnections, withoutLinks } from './look-view.ts';
import { createSender } from './parts.ts';
import { operatorPaths } from './paths.ts';

/** Time for which a look that was logged shows the version. */
const lookMs = 60 * 60_000;
const purpose = 'operator look';

/**
 * An operator looks at a version of a page as a viewer sees it, also if it is locked or taken down. The POST logs the look and
 * leads to an address with a sealed grant for this session and version, without which nothing of the page is shown.
 */
export function lookHandlers(services: Services, layout: Layout) {
  const { moderation, pages, sealer, clock, config } = services;
  const { send, sendGone } = createSender(layout);

  /** @returns null, and has answered: there is no such page or version */
  async function find(
    res: Response,
    session: Session,
    slug: string,
    number: number | null,
  ): Promise<PageWithVersion | null> {
    try {
      return pages.requireVersion(await pages.find(slug, number));
    } catch (error) {
      const code = error instanceof DropError && error.code;
      if (code !== 'not_found' && code !== 'version_not_found') throw error;
      sendGone(res, session, code === 'not_found' ? 'page' : 'version');
      return null;
    }
  }

  /** @returns null, and has answered: the grant is for another look, or has expired, or the version was deleted */
  async function open(req: Request, res: Response, session: Session) {
    const slug = readSlug(req);
    const { g: grant } = queryOf(req);
    const content = typeof grant === 'string' ? await sealer.open(purpose, grant) : null;
    const look = typeof content === 'object' && content !== null ? content : {};
    const read = (name: string): unknown => Reflect.get(look, name);
    const number = read('number');
    if (typeof grant !== 'string' || typeof number !== 'number' || read('session') !== session.id) {
      res.redirect(303, `${operatorPaths.page(slug)}?notice=look-ended`);
      return null;
    }
    const page = await find(res, session, slug, number);
    if (page === null) return null;
    if (page.version.id === read('version')) return { page, grant };
    sendGone(res, session, 'version'); // another one has its number now
    return null;
  }

  return {
    /** POST /operators/pages/{slug}/look, of the latest version unless `version` names another. */
    async begin(req: Request, res: Response, session: Session, form: Form): Promise<void> {
      const slug = readSlug(req);
      const page = await find(res, session, slug, toPositiveInteger(form.get('version')));
      if (page === null) return;
      const { id: version, number } = page.version;
      await moderation.look(slug, number, { by: nameOf(session) });
      const look = { session: session.id, version, number };
      const grant = await sealer.seal(purpose, look, clock.now() + lookMs);
      res.redirect(303, `${operatorPaths.look(slug)}?${new URLSearchParams({ g: grant })}`);
    },

    /** GET /operators/pages/{slug}/look */
    async show(req: Request, res: Response, session: Session): Promise<void> {
      const look = await open(req, res, session);
      if (look === null) return;
      const document = await pages.document(look.page);
      const loadsAll = queryOf(req).load === 'all';
      send(res, 200, session, lookView({ ...look, document, loadsAll, baseUrl: config.BASE_URL }));
    },

    /** GET /operators/pages/{slug}/frame: what the frame on that page shows. */
    async frame(req: Request, res: Response, session: Session): Promise<void> {
      const look = await open(req, res, session);
      if (look === null) return;
      const body = await pages.body(look.page, 'identity');
      if (body === null) {
        sendGone(res, session, 'version');
        return;
      }
      const loadsAll = queryOf(req).load === 'all';
      res.setHeader('Content-Security-Policy', framePolicy(loadsAll));
      res.setHeader('Referrer-Policy', 'no-referrer');
      res.setHeader('X-DNS-Prefetch-Control', 'off');
      const page = withoutLinks(body.bytes);
      sendBytes(res, 'text/html', loadsAll ? page : withoutConnections(page));
    },

    /** GET /operators/pages/{slug}/source: the document as posted, as a download. */
    async download(req: Request, res: Response, session: Session): Promise<void> {
      const look = await open(req, res, session);
      if (look === null) return;
      const document = await pages.document(look.page);
      setDownloadHeaders(res, look.page.slug, look.page.version.number);
      sendBytes(res, 'text/html', document);
    },
  };
}

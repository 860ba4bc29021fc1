import type { Request, Response } from 'express';
import { isHttps } from '../../shared/config/config.ts';
import type { Page, ShownPage } from '../../shared/domain/drop.ts';
import { DropError, notFound } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/open-services.ts';
import { raw } from '../html/html.ts';
import { isNavigation, setStatusAndHeaders } from '../http/answer-error.ts';
import { visitorOf } from '../http/client-address.ts';
import { setCookie } from '../http/cookies.ts';
import type { ReadForm } from '../http/form.ts';
import { HttpError, presentError } from '../http/http-error.ts';
import { pagePath, pageUrl, rawPath, reportPath } from '../http/paths.ts';
import { allowIndexing, sendPage } from '../http/send.ts';
import { createContentHosts } from '../server/content-hosts.ts';
import {
  isGetByPerson,
  isUnlocked,
  passCookie,
  readAddress,
  readSlugAndVersion,
  refuseTakenDown,
} from './public-page.ts';
import { passcodePage, viewerPage } from './viewer-page.ts';

/** GET and POST /p/{slug} (spec 4.5): the viewer, and the passcode form of a locked drop. */
export function viewerHandlers(services: Services, readForm: ReadForm) {
  const { pages, passcodes, views, config } = services;
  const contentHosts = createContentHosts(config.CONTENT_ORIGIN);

  /** `id` makes the address unique to the version's content, for caches; the grant `g` opens this version of a locked drop. */
  async function frameUrl(page: ShownPage, dropOrigin: string | null): Promise<string> {
    const query = new URLSearchParams({ v: String(page.version.number), id: page.version.id });
    const grant = await passcodes.issue('grant', page);
    if (grant !== null) query.set('g', grant);
    return `${dropOrigin ?? ''}${rawPath(page.slug)}?${query}`;
  }

  async function sendViewer(res: Response, page: ShownPage): Promise<void> {
    const { title, description, slug, version, latestVersion } = page;
    const context = await pages.context(page);
    const dropOrigin = contentHosts?.originOf(page.dropId) ?? null;
    const indexable = config.INDEXABLE && page.lock === null;
    const view = viewerPage({
      title,
      description,
      url: pageUrl(config.BASE_URL, slug),
      rawUrl: await frameUrl(page, dropOrigin),
      ...(dropOrigin !== null && { ownOrigin: dropOrigin }),
      version: version.number,
      latestVersion,
      context: context === null ? null : raw(context),
      reportPath: reportPath(slug, version.number),
      indexable,
    });
    if (indexable) allowIndexing(res);
    sendPage(res, 200, view);
  }

  /** Finds the page and sets Cache-Control for every answer with it: the viewer, the form, a redirect. */
  async function findPage(req: Request, res: Response): Promise<Page> {
    const address = readAddress(req);
    if (address === null) throw notFound('page');
    const page = await pages.find(...readSlugAndVersion(address));
    refuseTakenDown(page);
    res.setHeader('Cache-Control', page.lock === null ? 'private, no-cache' : 'private, no-store');
    return page;
  }

  /**
   * Checks the passcode, sets the cookie and redirects to the page.
   * @throws DropError `passcode_required` (403) for a wrong passcode, `rate_limited` after too many
   */
  async function unlockPage(req: Request, res: Response, page: Page, passcode: string): Promise<void> {
    if (!(await passcodes.check(page, passcode, visitorOf(req.ip)))) {
      throw new HttpError(403, 'passcode_required', 'The passcode is wrong.');
    }
    const pass = await passcodes.issue('pass', page);
    if (pass !== null) {
      setCookie(res, passCookie, pass, {
        path: pagePath(page.slug),
        seconds: config.UNLOCK_SECONDS,
        isSecure: isHttps(config),
      });
    }
    res.redirect(303, req.url);
  }

  return {
    async show(req: Request, res: Response): Promise<void> {
      const page = await findPage(req, res);
      if (await isUnlocked(services, page, req.headers.cookie)) {
        await sendViewer(res, pages.requireVersion(page));
        if (isGetByPerson(req)) views.count(page.dropId);
      } else {
        sendPage(res, 200, passcodePage({ action: req.url }));
      }
    },

    /** A person sees an error on the form again. A program gets the envelope. */
    async unlock(req: Request, res: Response): Promise<void> {
      const page = await findPage(req, res);
      const form = await readForm(req, res);
      try {
        await unlockPage(req, res, page, form.get('passcode') ?? '');
      } catch (error) {
        if (!(error instanceof DropError) || !isNavigation(req)) throw error;
        const status = setStatusAndHeaders(res, error);
        sendPage(res, status, passcodePage({ action: req.url, envelope: presentError(error) }));
      }
    },
  };
}

import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { isHttps } from '../../shared/config/config.ts';
import type { Page, PageWithVersion } from '../../shared/drops/drop.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { cookieName, readCookies } from '../http/cookies.ts';
import { isFromOtherSite } from '../http/form.ts';
import { HttpError } from '../http/http-error.ts';
import { readSlug } from '../http/parameters.ts';
import { pagePath, pageUrl } from '../http/paths.ts';
import { sessionCookieName } from '../http/session-cookie.ts';
import { passCookie, readVersion, refuseTakenDown } from './public-page.ts';

/**
 * Finds the page of the request and sets Cache-Control. What belongs to a viewer page, such as its versions, is for everybody
 * who may see the page. @param number the version; null for the latest. Default: the one that `v` names
 * @throws DropError `invalid_slug`, `not_found`, `version_not_found`; HttpError 410 for a takedown, 403 `passcode_required`
 *   if the viewer has not entered the passcode
 */
export async function openPage(
  services: Services,
  req: Request,
  res: Response,
  number = readPageVersion(req),
): Promise<PageWithVersion> {
  const { pages, config } = services;
  const slug = readSlug(req);
  const page = await pages.find(slug, number);
  refuseTakenDown(page);
  setPageCaching(res, page);
  if (!(await isUnlocked(services, page, req))) throw passcodeRequired(config.BASE_URL, slug);
  return pages.requireVersion(page);
}

/** From `v` of the request, as `readVersion` reads it. */
export function readPageVersion(req: Request): number | null {
  return readVersion(new URLSearchParams(req.url.split('?')[1]));
}

/**
 * Whether the page has no passcode, or the viewer has entered it or is signed in as its owner. @param admitsOwner whether a
 * session counts. Default: unless another site led the browser here, which could then tell that the visitor owns the page
 */
export async function isUnlocked(
  services: Services,
  page: Page,
  req: Pick<IncomingMessage, 'headers'>,
  admitsOwner = !isFromOtherSite(req),
): Promise<boolean> {
  if (page.lock === null) return true;
  const { cookie: cookies } = req.headers;
  const isSecure = isHttps(services.config);
  const name = cookieName(passCookie, { path: pagePath(page.slug), isSecure });
  for (const pass of readCookies(cookies, name)) {
    if (await services.passcodes.admits('pass', page, pass)) return true;
  }
  if (!admitsOwner) return false;
  for (const secret of readCookies(cookies, sessionCookieName(isSecure))) {
    const caller = (await services.sessions.identify(secret))?.caller;
    if (caller?.accountId === page.ownerId && !caller.isSuspended) return true;
  }
  return false;
}

export function passcodeRequired(baseUrl: string, slug: string): HttpError {
  const url = pageUrl(baseUrl, slug);
  return new HttpError(403, 'passcode_required', `This page needs a passcode: enter it at ${url}`, { url });
}

/** For every answer about a page that changes with it. */
export function setPageCaching(res: Response, { lock }: Page): void {
  res.setHeader('Cache-Control', lock === null ? 'private, no-cache' : 'private, no-store');
}

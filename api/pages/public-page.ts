import type { IncomingMessage } from 'node:http';
import { isbot } from 'isbot';
import { isHttps } from '../../shared/config/config.ts';
import type { Page } from '../../shared/domain/drop.ts';
import { DropError } from '../../shared/domain/errors.ts';
import { slugPattern } from '../../shared/domain/ids.ts';
import type { Services } from '../../shared/open-services.ts';
import { cookieName, readCookies } from '../http/cookies.ts';
import { HttpError } from '../http/http-error.ts';
import { toPositiveInteger } from '../http/parameters.ts';
import { pagePath } from '../http/paths.ts';

/** The cookie that says that the passcode was entered. Its path is the viewer page's. */
export const passCookie = 'dropleaf_pass';

/** The address of a page. The path is not decoded, so no page has two paths. */
export interface PublicAddress {
  readonly slug: string;
  readonly isRaw: boolean;
  /** Unknown parameters are ignored. */
  readonly query: URLSearchParams;
}

const noQuery = new URLSearchParams();

const addressPattern = /^\/p\/([^/?#]+)(\/raw)?(?:\?(.*))?$/;

/** @returns null if the request is for no page */
export function readAddress(req: IncomingMessage): PublicAddress | null {
  const match = addressPattern.exec(req.url ?? '');
  if (match === null) return null;
  const [, slug = '', raw, search] = match;
  return { slug, isRaw: raw !== undefined, query: search ? new URLSearchParams(search) : noQuery };
}

const slashPattern = /^(\/p\/([^/?#]+)(\/raw)?)\/(\?[^#]*)?$/;

/**
 * For a GET or HEAD of a page's address with a slash at its end: the address without the slash, with its query. null for
 * any other request. The location begins with `/p/` and a valid slug, so a redirect to it stays on this host.
 */
export function withoutSlash(req: IncomingMessage): { location: string; isRaw: boolean } | null {
  if (req.method !== 'GET' && req.method !== 'HEAD') return null;
  const [, path = '', slug = '', raw, search = ''] = slashPattern.exec(req.url ?? '') ?? [];
  return slugPattern.test(slug) ? { location: path + search, isRaw: raw !== undefined } : null;
}

/** The slug, and the version number from `v`; null for the latest. @throws DropError `invalid_slug` */
export function readSlugAndVersion({ slug, query }: PublicAddress): [slug: string, number: number | null] {
  if (!slugPattern.test(slug)) {
    throw new DropError('invalid_slug', 'The slug in this address is invalid', { field: 'slug' });
  }
  return [slug, readVersion(query)];
}

/** null for the latest; 0, which no version has, for an invalid or repeated `v`. */
function readVersion(query: URLSearchParams): number | null {
  const [asked, second] = query.getAll('v');
  if (asked === undefined) return null;
  return second === undefined ? (toPositiveInteger(asked) ?? 0) : 0;
}

/** To be called before the page is shown or its passcode checked. @throws HttpError 410 for a takedown */
export function refuseTakenDown(page: Page): void {
  if (page.isTakenDown) throw new HttpError(410, 'forbidden', 'This page was removed by the operators');
}

/** Whether the page has no passcode, or the viewer has entered it. @param cookies the request's Cookie header */
export async function isUnlocked(
  services: Services,
  page: Page,
  cookies: string | undefined,
): Promise<boolean> {
  if (page.lock === null) return true;
  const isSecure = isHttps(services.config);
  const name = cookieName(passCookie, { path: pagePath(page.slug), isSecure });
  for (const pass of readCookies(cookies, name)) {
    if (await services.passcodes.admits('pass', page, pass)) return true;
  }
  return false;
}

/** Whether a person opened the address, so that the request may count as a view (docs/decisions.md, A view). */
export function isGetByPerson(req: IncomingMessage): boolean {
  if (req.method !== 'GET') return false;
  // Images, scripts, frames and fetches of other pages have another value; clients other than browsers send none.
  if ((req.headers['sec-fetch-dest'] ?? 'document') !== 'document') return false;
  const { 'sec-purpose': secPurpose, purpose, 'x-moz': moz, 'user-agent': agent } = req.headers;
  if (/prefetch|prerender|preview/i.test(`${secPurpose} ${purpose} ${moz}`)) return false;
  return !isbot(agent);
}

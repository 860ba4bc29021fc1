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

/** The cookie that keeps a passcode entered; its path is the drop's. */
export const passCookie = 'dropleaf_pass';

/** What a reader asked for, as the address says it: nothing is decoded, so no page has two names. */
export interface PublicAddress {
  readonly slug: string;
  readonly isRaw: boolean;
  /** Unknown parameters are ignored. */
  readonly query: URLSearchParams;
}

/** Most raw pages are asked for without one. Never changed. */
const noQuery = new URLSearchParams();

const addressPattern = /^\/p\/([^/?#]+)(\/raw)?(?:\?(.*))?$/;

/** null: this is no address of a page. */
export function readAddress(req: IncomingMessage): PublicAddress | null {
  const match = addressPattern.exec(req.url ?? '');
  if (match === null) return null;
  const [, slug = '', raw, search] = match;
  return { slug, isRaw: raw !== undefined, query: search ? new URLSearchParams(search) : noQuery };
}

const slashPattern = /^(\/p\/([^/?#]+)(\/raw)?)\/(\?[^#]*)?$/;

/**
 * The address of a page as it is without the slash at its end, with its query; null: it is no such address. It always
 * begins with `/p/` and a legal slug, so a redirect to it stays on the host.
 */
export function withoutSlash(req: IncomingMessage): { location: string; isRaw: boolean } | null {
  if (req.method !== 'GET' && req.method !== 'HEAD') return null;
  const [, path = '', slug = '', raw, search = ''] = slashPattern.exec(req.url ?? '') ?? [];
  return slugPattern.test(slug) ? { location: path + search, isRaw: raw !== undefined } : null;
}

/**
 * Which page is asked for: the drop's slug, and the version that `v` selects; null for the latest.
 * @throws DropError `invalid_slug`
 */
export function readTarget({ slug, query }: PublicAddress): [slug: string, number: number | null] {
  if (!slugPattern.test(slug)) {
    throw new DropError('invalid_slug', 'This is no address of a page.', { field: 'slug' });
  }
  return [slug, readVersion(query)];
}

/** null: the latest; 0, which no version has, for what is no number of a version, several too. */
function readVersion(query: URLSearchParams): number | null {
  const [asked, second] = query.getAll('v');
  if (asked === undefined) return null;
  return second === undefined ? (toPositiveInteger(asked) ?? 0) : 0;
}

/**
 * Before the gate and everything else of the page: of one that was taken down nobody learns more than that.
 * @throws HttpError 410
 */
export function checkShown(page: Page): void {
  if (page.isTakenDown) throw new HttpError(410, 'forbidden', 'This page was taken down.');
}

/**
 * Whether the reader has entered the page's passcode, by the cookie that says so; true where it has none.
 * @param cookies the request's header
 */
export async function hasPasscode(
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

/** Whether a GET that was answered with a page is a person's view (docs/decisions.md, A view). */
export function isPersonsGet(req: IncomingMessage): boolean {
  if (req.method !== 'GET') return false;
  // Another page's image, script, frame or fetch says so; clients that are no browsers send no such header.
  if ((req.headers['sec-fetch-dest'] ?? 'document') !== 'document') return false;
  const { 'sec-purpose': secPurpose, purpose, 'x-moz': moz, 'user-agent': agent } = req.headers;
  if (/prefetch|prerender|preview/i.test(`${secPurpose} ${purpose} ${moz}`)) return false;
  return !isbot(agent);
}

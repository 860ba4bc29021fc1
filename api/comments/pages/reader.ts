import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { findReader } from '../../../shared/comments/authors.ts';
import type { Author } from '../../../shared/comments/comment.ts';
import { isHttps } from '../../../shared/config/config.ts';
import type { Page } from '../../../shared/drops/drop.ts';
import type { Services } from '../../../shared/engines/open-services.ts';
import { type CookieRules, cookieName, readCookies, setCookie } from '../../http/cookies.ts';
import { pagePartPath } from '../../http/paths.ts';
import type { BrowserSession } from '../../http/session.ts';

/** The cookie with the secret of a guest who has written comments on the page. Stored is its SHA-256. */
const guestCookie = 'dropleaf_guest';
const secretPattern = /^[0-9a-f]{64}$/;
const guestSeconds = 400 * 24 * 60 * 60;

/** The secret of a guest. null: the browser has none for this page. */
export function secretOf(
  { config }: Pick<Services, 'config'>,
  req: IncomingMessage,
  page: Page,
): string | null {
  const secrets = readCookies(req.headers.cookie, cookieName(guestCookie, guestRules(config, page)));
  return secrets.find((secret) => secretPattern.test(secret)) ?? null;
}

export function keepSecret(
  { config }: Pick<Services, 'config'>,
  res: ServerResponse,
  page: Page,
  secret: string,
): void {
  setCookie(res, guestCookie, secret, guestRules(config, page));
}

/** Of the cookies by which a browser knows what its reader has written on a page. */
export function guestRules(config: Services['config'], { slug }: Page): CookieRules {
  return { path: pagePartPath(slug, 'comments'), seconds: guestSeconds, isSecure: isHttps(config) };
}

/** @param secret of a guest, who has typed the name @returns null: they may not write comments on the page */
export function readerOfRequest(
  page: Page,
  session: BrowserSession | null,
  secret: string | null,
  name = '',
): Author | null {
  const guest = secret && createHash('sha256').update(secret).digest('hex');
  const { caller, accountName } = session ?? { caller: null, accountName: name };
  return findReader(page, { caller, name: accountName, guest });
}

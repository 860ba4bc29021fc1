import type { IncomingMessage, ServerResponse } from 'node:http';
import { cookieName, readCookies, setCookie } from './cookies.ts';

const name = 'dropleaf_session';

/** The longest that browsers keep a cookie: 400 days. The service ends a session earlier (sessionIdleMs). */
const keptSeconds = 400 * 24 * 60 * 60;

/** The cookie with the secret of a session. Only pages of the dashboard read it: the API, viewer and raw pages do not. */
export function createSessionCookie(isSecure: boolean) {
  const rules = { path: '/', isSecure };
  return {
    /** The secrets that the browser sent: more than one if something else has set the name for another path. */
    read(req: IncomingMessage): string[] {
      return readCookies(req.headers.cookie, cookieName(name, rules));
    },

    write(res: ServerResponse, secret: string): void {
      setCookie(res, name, secret, { ...rules, seconds: keptSeconds });
    },

    clear(res: ServerResponse): void {
      setCookie(res, name, '', { ...rules, seconds: 0 });
    },
  };
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { cookieName, readCookies, setCookie } from './cookies.ts';

/** The longest that browsers keep a cookie: 400 days. A session expires earlier (sessionIdleMs). */
const keptSeconds = 400 * 24 * 60 * 60;

const name = 'dropleaf_session';

/** With the prefix for https. Locked pages read the cookie, too (pages/gate.ts). */
export function sessionCookieName(isSecure: boolean): string {
  return cookieName(name, { path: '/', isSecure });
}

/** The cookie with the secret of a session. */
export class SessionCookie {
  readonly #isSecure: boolean;

  /** @param isSecure whether the service is reached by https */
  constructor(isSecure: boolean) {
    this.#isSecure = isSecure;
  }

  /** The secrets that a browser has sent: another path or subdomain may have set the cookie, too. */
  read(req: IncomingMessage): string[] {
    return readCookies(req.headers.cookie, sessionCookieName(this.#isSecure));
  }

  write(res: ServerResponse, secret: string): void {
    setCookie(res, name, secret, { path: '/', isSecure: this.#isSecure, seconds: keptSeconds });
  }

  clear(res: ServerResponse): void {
    setCookie(res, name, '', { path: '/', isSecure: this.#isSecure, seconds: 0 });
  }
}

import type { ServerResponse } from 'node:http';

/** To see whether one is ours takes time: a browser has two or three of a name, if any. */
const mostValues = 5;

/**
 * The values of a cookie, in the order in which the browser sends them. There can be several: another path or
 * subdomain may have set one more of the name, and which of them is ours only their seal says. The first few.
 * @param header of the request; undefined for none
 */
export function readCookies(header: string | undefined, name: string): string[] {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  const ours = pairs.filter((pair) => pair.startsWith(`${name}=`)).slice(0, mostValues);
  return ours.map((pair) => pair.slice(name.length + 1));
}

/**
 * The whole name of a cookie. Where pages are https it begins so that browsers take it from this service alone, and never
 * over http: `__Host-` also keeps sibling domains from setting it, and is for all paths (RFC 6265bis, section 4.1.3).
 */
export function cookieName(name: string, { path, isSecure }: Pick<CookieRules, 'path' | 'isSecure'>): string {
  if (!isSecure) return name;
  return path === '/' ? `__Host-${name}` : `__Secure-${name}`;
}

export interface CookieRules {
  /** The browser sends it there and below. */
  readonly path: string;
  /** How long the browser keeps it; 0 removes it. */
  readonly seconds: number;
  /** Whether it may travel by https alone. */
  readonly isSecure: boolean;
}

/**
 * Sets the one cookie of an answer, out of the reach of scripts; a second call replaces the first.
 * @param name without what `cookieName` puts before it
 * @param value no character of it is escaped: RFC 6265, section 4.1.1, says which it may hold
 */
export function setCookie(res: ServerResponse, name: string, value: string, rules: CookieRules): void {
  const { path, seconds, isSecure } = rules;
  const wholeName = cookieName(name, rules);
  const secure = isSecure ? '; Secure' : '';
  res.setHeader(
    'Set-Cookie',
    `${wholeName}=${value}; Max-Age=${seconds}; Path=${path}; HttpOnly; SameSite=Lax${secure}`,
  );
}

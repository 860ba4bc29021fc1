import type { ServerResponse } from 'node:http';

/** Checking a value's seal takes time. */
const maxValues = 5;

/** The first values of a cookie: another path or subdomain may have set the name too, and the seal tells which is ours. */
export function readCookies(header: string | undefined, name: string): string[] {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  const ours = pairs.filter((pair) => pair.startsWith(`${name}=`)).slice(0, maxValues);
  return ours.map((pair) => pair.slice(name.length + 1));
}

/** The name with the prefix for https. `__Host-` keeps sibling domains from setting it (RFC 6265bis, section 4.1.3). */
export function cookieName(name: string, { path, isSecure }: Pick<CookieRules, 'path' | 'isSecure'>): string {
  if (!isSecure) return name;
  return path === '/' ? `__Host-${name}` : `__Secure-${name}`;
}

export interface CookieRules {
  /** The browser sends it to this path and below. */
  readonly path: string;
  /** How long the browser keeps it; 0 removes it. */
  readonly seconds: number;
  /** Whether the service is reached by https. */
  readonly isSecure: boolean;
}

/**
 * Sets a cookie that scripts cannot read, and replaces one of the same name. @param name without a prefix
 * @param value is not escaped: RFC 6265, section 4.1.1, says which characters are allowed
 */
export function setCookie(res: ServerResponse, name: string, value: string, rules: CookieRules): void {
  const { path, seconds, isSecure } = rules;
  const wholeName = cookieName(name, rules);
  const secure = isSecure ? '; Secure' : '';
  const others = [res.getHeader('Set-Cookie') ?? []].flat().map(String);
  res.setHeader('Set-Cookie', [
    ...others.filter((other) => !other.startsWith(`${wholeName}=`)),
    `${wholeName}=${value}; Max-Age=${seconds}; Path=${path}; HttpOnly; SameSite=Lax${secure}`,
  ]);
}

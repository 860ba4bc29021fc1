/** Of a name and its value together, and of cookies, as browsers have it (RFC 6265bis, 6.1). */
const maxCookie = 4_096;
const maxCookies = 180;

/** Besides the tab. */
const hasControls = /[^\P{Cc}\t]/u;

interface Cookie {
  readonly value: string;
  /** Unix ms. */
  readonly until: number;
}

/** `document.cookie` of a document that the browser refuses one. Of the attributes those count that end a cookie. */
export function provideCookies(): void {
  const cookies = new Map<string, Cookie>();
  Object.defineProperty(Document.prototype, 'cookie', {
    configurable: true,
    enumerable: true,
    get(this: Document) {
      return this === document ? read(cookies) : '';
    },
    set(this: Document, text: unknown) {
      if (this === document) write(cookies, `${text}`);
    },
  });
}

function read(cookies: Map<string, Cookie>): string {
  const now = Date.now();
  const pairs: string[] = [];
  for (const [name, { value, until }] of cookies)
    if (until > now) pairs.push(name === '' ? value : `${name}=${value}`);
  return pairs.join('; ');
}

function write(cookies: Map<string, Cookie>, text: string): void {
  const [pair = '', ...attributes] = text.split(';');
  const at = pair.indexOf('=');
  const name = pair.slice(0, Math.max(at, 0)).trim();
  const value = pair.slice(at + 1).trim();
  const length = name.length + value.length;
  if (length === 0 || length > maxCookie || hasControls.test(text)) return;
  const until = endOf(attributes);
  if (until <= Date.now()) {
    cookies.delete(name);
    return;
  }
  cookies.set(name, { value, until });
  const [oldest] = cookies.keys();
  if (cookies.size > maxCookies && oldest !== undefined) cookies.delete(oldest);
}

/** `max-age` counts before `expires`, and the last of each; invalid ones are ignored. */
function endOf(attributes: readonly string[]): number {
  let byAge: number | null = null;
  let byDate: number | null = null;
  for (const attribute of attributes) {
    const at = attribute.indexOf('=');
    const name = attribute.slice(0, Math.max(at, 0)).trim().toLowerCase();
    const value = attribute.slice(at + 1).trim();
    if (name === 'max-age' && /^-?\d+$/.test(value)) byAge = Date.now() + Number(value) * 1_000;
    if (name === 'expires' && !Number.isNaN(Date.parse(value))) byDate = Date.parse(value);
  }
  return byAge ?? byDate ?? Number.POSITIVE_INFINITY;
}

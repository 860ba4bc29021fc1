/** The host names that serve raw pages only: one per drop, all below one domain. */
export interface ContentOrigin {
  readonly protocol: 'http:' | 'https:';
  /** `drops.example` for `https://*.drops.example`; lower case. */
  readonly domain: string;
  /** `:8443`; '' for the protocol's default. */
  readonly port: string;
}

const names = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;

/** Reads `https://*.drops.example`. @returns null if it has a path, no `*.` or more than one */
export function readContentOrigin(text: string): ContentOrigin | null {
  const sample = text.replace('//*.', '//sample.'); // parsed as browsers parse URLs, apart from the star
  if (sample === text || !URL.canParse(sample)) return null;
  const url = new URL(sample);
  const { protocol, port } = url;
  const domain = url.hostname.slice('sample.'.length);
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  if (url.href !== `${url.origin}/` || !names.test(domain)) return null;
  return { protocol, domain, port: port === '' ? '' : `:${port}` };
}

/** Whether this service answers at that host of a URL. */
export function isOwnHost(
  host: string,
  { BASE_URL, CONTENT_ORIGIN }: { readonly BASE_URL: string; readonly CONTENT_ORIGIN: string },
): boolean {
  const content = readContentOrigin(CONTENT_ORIGIN);
  const isContentHost = content !== null && host.endsWith(`.${content.domain}${content.port}`);
  return isContentHost || host === new URL(BASE_URL).host;
}

/** Whether they are equal or one is a subdomain of the other: then pages on the subdomain can set cookies for both. */
export function areRelated(domain: string, host: string): boolean {
  return domain === host || domain.endsWith(`.${host}`) || host.endsWith(`.${domain}`);
}

/** The longest common parent domain of two labels or more, one site for browsers unless it is a public suffix; null: none. */
export function commonDomain(domain: string, host: string): string | null {
  const one = domain.split('.').reverse();
  const other = host.split('.').reverse();
  const differing = one.findIndex((label, at) => label !== other[at]);
  const common = one.slice(0, differing === -1 ? one.length : differing);
  return common.length < 2 ? null : common.reverse().join('.');
}

/** The host names that serve raw pages and nothing else: one for each drop, all below one domain. */
export interface ContentOrigin {
  readonly protocol: 'http:' | 'https:';
  /** What stands below: `drops.example`, in lower case. */
  readonly domain: string;
  /** As in an address: `:8443`; '' for the protocol's own. */
  readonly port: string;
}

const names = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;

/**
 * Reads `https://*.drops.example`.
 * @returns null for what is nothing of the kind: an address with a path, without the `*.`, or with more than one
 */
export function readContentOrigin(text: string): ContentOrigin | null {
  const sample = text.replace('//*.', '//sample.'); // a browser's own reading of an address, but for the star
  if (sample === text || !URL.canParse(sample)) return null;
  const url = new URL(sample);
  const { protocol, port } = url;
  const domain = url.hostname.slice('sample.'.length);
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  if (url.href !== `${url.origin}/` || !names.test(domain)) return null;
  return { protocol, domain, port: port === '' ? '' : `:${port}` };
}

/** Whether one is the other or stands below it: then what is served at the lower one can set cookies for both. */
export function areRelated(domain: string, host: string): boolean {
  return domain === host || domain.endsWith(`.${host}`) || host.endsWith(`.${domain}`);
}

/**
 * The domain that both stand below, if it has a dot: unless it is a public suffix (`co.uk`), browsers take the two
 * for one site. null for none.
 */
export function commonDomain(domain: string, host: string): string | null {
  const [one, other] = [domain.split('.').reverse(), host.split('.').reverse()];
  const differing = one.findIndex((label, at) => label !== other[at]);
  const common = one.slice(0, differing === -1 ? one.length : differing);
  return common.length < 2 ? null : common.reverse().join('.');
}

import { slugPattern } from '../domain/ids.ts';

/** What the address of a viewer page or a raw page names. */
export interface PageAddress {
  /** With the port, unless it is the protocol's own. */
  readonly host: string;
  readonly slug: string;
  /** The value of `v`; null: none. */
  readonly version: string | null;
}

/**
 * Reads `https://drops.example/p/abc`, also with `/raw`, query and fragment. @param base for an address without a host
 * @returns null if the text is no such address
 */
export function readPageAddress(text: string, base: string): PageAddress | null {
  if (!/^(https?:\/)?\//i.test(text) || !URL.canParse(text, base)) return null;
  const { host, pathname, searchParams } = new URL(text, base);
  const [, slug = ''] = /^\/p\/([^/]+)(?:\/raw)?\/?$/.exec(pathname) ?? [];
  return slugPattern.test(slug) ? { host, slug, version: searchParams.get('v') } : null;
}

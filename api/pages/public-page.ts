import type { IncomingMessage } from 'node:http';
import { isbot } from 'isbot';
import { DropError } from '../../shared/domain/errors.ts';
import { slugPattern } from '../../shared/domain/ids.ts';
import type { Page } from '../../shared/drops/drop.ts';
import { HttpError } from '../http/http-error.ts';
import { toPositiveInteger } from '../http/parameters.ts';

/** The cookie that says that the passcode was entered. Its path is the viewer page's. */
export const passCookie = 'dropleaf_pass';

/** The address of a page. The path is not decoded, so no page has two paths. */
export interface PublicAddress {
  readonly slug: string;
  /** raw.ts answers it. */
  readonly isRaw: boolean;
  /** Whether the raw page is wanted with the script of the viewer's frame (framing.ts). */
  readonly isFramed: boolean;
  /** From `v`, as `readVersion` reads it. */
  readonly number: number | null;
  /** From `id`: the internal id of a version, which the address of the viewer's frame contains. */
  readonly versionId: string | null;
  /** From `g`: opens a drop that is not public. */
  readonly grant: string | null;
}

/**
 * The query of a public drop's frame (`frameUrl` in frame.ts) is matched here: `URLSearchParams` is slow (docs/performance.md).
 * `/review` is what viewers of the release before ask for.
 */
const addressPattern =
  /^\/p\/([^/?#]+)(\/raw|\/review)?(?:\?(?:(framed=1)|(framed=1&)?v=([1-9]\d{0,8})&id=([\w-]+)|(.*)))?$/;

/** @returns null if the request is for no page */
export function readAddress(req: IncomingMessage): PublicAddress | null {
  const match = addressPattern.exec(req.url ?? '');
  if (match === null) return null;
  const [, slug = '', raw, framed, framedVersion, number, versionId = null, search] = match;
  const isRaw = raw !== undefined;
  const isFramed = raw === '/review' || framed !== undefined || framedVersion !== undefined;
  if (!search)
    return { slug, isRaw, isFramed, number: number ? Number(number) : null, versionId, grant: null };
  const query = new URLSearchParams(search); // unknown parameters are ignored
  return {
    slug,
    isRaw,
    isFramed: isFramed || query.get('framed') === '1',
    number: readVersion(query),
    versionId: query.get('id'),
    grant: query.get('g'),
  };
}

const slashPattern = /^(\/p\/([^/?#]+)(\/raw)?)\/(\?[^#]*)?$/;

/**
 * The address without a slash at its end; null: no such GET or HEAD. It starts with `/p/`, so a redirect stays on the host.
 */
export function withoutSlash(req: IncomingMessage): { location: string; isRaw: boolean } | null {
  if (req.method !== 'GET' && req.method !== 'HEAD') return null;
  const [, path = '', slug = '', raw, search = ''] = slashPattern.exec(req.url ?? '') ?? [];
  return slugPattern.test(slug) ? { location: path + search, isRaw: raw !== undefined } : null;
}

/** @throws DropError `invalid_slug` */
export function readSlugAndVersion({ slug, number }: PublicAddress): [slug: string, number: number | null] {
  if (!slugPattern.test(slug)) {
    throw new DropError('invalid_slug', 'The slug in this address is invalid', { field: 'slug' });
  }
  return [slug, number];
}

/** From `v`: null for the latest version; 0, which no version has, if it is invalid or repeated. */
export function readVersion(query: URLSearchParams): number | null {
  const [asked, second] = query.getAll('v');
  if (asked === undefined) return null;
  return second === undefined ? (toPositiveInteger(asked) ?? 0) : 0;
}

/** Call it before the page is shown or its passcode checked. @throws HttpError 410 for a takedown */
export function refuseTakenDown(page: Page): void {
  if (page.isTakenDown) throw new HttpError(410, 'forbidden', 'This page was removed by the operators');
}

/** Whether a person opened the address, so that the request may count as a view (docs/decisions/pages.md, A view). */
export function isGetByPerson(req: IncomingMessage): boolean {
  if (req.method !== 'GET') return false;
  // Images, scripts, frames and fetches of other pages have another value; clients other than browsers send none.
  if ((req.headers['sec-fetch-dest'] ?? 'document') !== 'document') return false;
  const { 'sec-purpose': secPurpose, purpose, 'x-moz': moz, 'user-agent': agent } = req.headers;
  if (/prefetch|prerender|preview/i.test(`${secPurpose} ${purpose} ${moz}`)) return false;
  return !isbot(agent);
}

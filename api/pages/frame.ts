import type { Caller } from '../../shared/accounts/account.ts';
import { notFound, nullIfNotFound } from '../../shared/domain/errors.ts';
import type { PageWithVersion } from '../../shared/drops/drop.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { rawPath } from '../http/paths.ts';
import { ContentHosts } from './content-hosts.ts';

/**
 * The address of a page in a frame. `id` makes it unique to the version's content, for caches. @param dropOrigin null: the
 * service's @param grant opens this version of a drop that is not public
 */
export function frameUrl(
  { slug, version }: PageWithVersion,
  dropOrigin: string | null,
  grant: string | null,
): string {
  const query = new URLSearchParams({ v: String(version.number), id: version.id });
  if (grant !== null) query.set('g', grant);
  return `${dropOrigin ?? ''}${rawPath(slug)}?${query}`;
}

/** The same page with the script of the viewer's frame (framing.ts). */
export function framedUrl(rawUrl: string): string {
  const [path = '', query] = rawUrl.split('?', 2);
  return `${path}?framed=1${query === undefined ? '' : `&${query}`}`;
}

export interface Preview {
  readonly src: string;
  readonly sandbox: string;
  /** The source for `frame-src`: the frame shows this drop and nothing else. */
  readonly source: string;
}

/** Less than in the viewer: a page that a program of the owner published cannot lead the dashboard away or open windows. */
export const previewSandbox = 'allow-scripts allow-forms';

/** In the gallery nobody uses the page. */
export const thumbnailSandbox = 'allow-scripts';

/** Makes the frames of the dashboard. @returns finds the version, by default the latest; null: the page is taken down or gone */
export function createPreviews(services: Services, sandbox = previewSandbox) {
  const { passcodes, config } = services;
  const contentHosts = ContentHosts.from(config.CONTENT_ORIGIN);

  return async (caller: Caller, slug: string, number: number | null = null): Promise<Preview | null> => {
    const page = await findOwnPage(services, caller, slug, number).catch(nullIfNotFound);
    if (page === null || page.isTakenDown) return null;
    const dropOrigin = contentHosts?.originOf(page.dropId) ?? null;
    return {
      src: frameUrl(page, dropOrigin, await passcodes.issue('grant', page, caller.accountId)),
      sandbox: dropOrigin === null ? sandbox : `${sandbox} allow-same-origin`,
      source: `${dropOrigin ?? new URL(config.BASE_URL).origin}${rawPath(page.slug)}`,
    };
  };
}

/** A page is found by its slug alone, so the owner is compared. @param number null: the latest @throws DropError `not_found`, `version_not_found` */
export async function findOwnPage(
  { pages }: Services,
  { accountId }: Caller,
  slug: string,
  number: number | null,
): Promise<PageWithVersion> {
  const page = pages.requireVersion(await pages.find(slug, number));
  if (page.ownerId !== accountId) throw notFound('drop');
  return page;
}

/** The source for `frame-src` that covers every drop, also those that are published while the page is open. */
export function previewsSource({ BASE_URL, CONTENT_ORIGIN }: Services['config']): string {
  return `${ContentHosts.from(CONTENT_ORIGIN)?.originOf('*') ?? new URL(BASE_URL).origin}/p/`;
}

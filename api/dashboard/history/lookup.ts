import type { Caller } from '../../../shared/domain/account.ts';
import type { OwnedVersion, PageWithVersion } from '../../../shared/domain/drop.ts';
import { notFound } from '../../../shared/domain/errors.ts';
import type { Services } from '../../../shared/open-services.ts';

/** @throws DropError `not_found` */
export function pick(versions: readonly OwnedVersion[], number: number): OwnedVersion {
  const version = versions.find((other) => other.number === number);
  if (version === undefined) throw notFound('version');
  return version;
}

/** The page of a version of the caller's own drop, for a frame or its context. @throws DropError `not_found`, `version_not_found` */
export async function findOwnPage(
  pages: Services['pages'],
  caller: Caller,
  slug: string,
  number: number,
): Promise<PageWithVersion> {
  const page = pages.requireVersion(await pages.find(slug, number));
  if (page.ownerId !== caller.ownerId) throw notFound('drop');
  return page;
}

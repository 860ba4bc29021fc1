import type { Request } from 'express';
import type { DropError } from '../../../shared/domain/errors.ts';
import type { Drop } from '../../../shared/drops/drop.ts';
import type { Target } from '../../../shared/drops/drops.ts';
import { readRevisions } from '../../drops/fields.ts';
import { breadcrumb } from '../../html/elements.ts';
import { type Html, html, visible } from '../../html/html.ts';
import { readSlug } from '../../http/parameters.ts';
import { dashboardPaths } from '../../http/paths.ts';
import { dropPaths } from '../paths.ts';

/** The way back to the drop. */
export function dropCrumbs({ slug, title }: Pick<Drop, 'slug' | 'title'>): Html {
  return breadcrumb([dashboardPaths.drops, 'Drops'], [dropPaths(slug).drop, visible(title)]);
}

/** The revision of the drop that the person saw, for `targetOf`. The form of the details has it in its values (edit-form.ts). */
export function revisionField({ rev }: Pick<Drop, 'rev'>): Html {
  return html`<input type="hidden" name="if_match" value="${rev}">`;
}

/** @param revision the field of the form @throws DropError `invalid_slug`, `invalid_arg` */
export function targetOf(req: Request, revision = ''): Target {
  return { slug: readSlug(req), revs: readRevisions(revision) };
}

/** Instead of the API's message about a conflict, which is for programs. @returns undefined: it is another error */
export function conflictText(
  { latestVersion }: Pick<Drop, 'latestVersion'>,
  error: DropError | undefined,
  more: string,
): string | undefined {
  return error?.code === 'version_conflict'
    ? `The drop was changed after you opened the page: version ${latestVersion} is live now. ${more}`
    : undefined;
}

import type { Caller } from '../../../shared/accounts/account.ts';
import { notFound } from '../../../shared/domain/errors.ts';
import type { Drop, OwnedVersion, PageWithVersion } from '../../../shared/drops/drop.ts';
import type { Services } from '../../../shared/engines/open-services.ts';
import { type Html, html, raw } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { readSlug, readVersionNumber } from '../../http/parameters.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { createPreviews, type Preview } from '../../pages/frame.ts';
import { sourceHandlers } from '../../versions/source.ts';
import { dashboardPages } from '../pages.ts';
import { dropPaths } from '../paths.ts';
import { dropCrumbs, historyStyles, versionFacts } from './list.ts';

/** /drops/{slug}/v/{n}: one version with its context, and its document as a file. */
export function versionRoutes(parts: RouteParts): readonly Route[] {
  const { drops, pages } = parts.services;
  const { page, file } = dashboardPages(parts, 'drops');
  const source = sourceHandlers(parts.services);
  const paths = dropPaths(':slug');
  const previewOf = createPreviews(parts.services);
  return [
    page(paths.version(':n'), async (req, _, { caller, formField }) => {
      const slug = readSlug(req);
      const drop = await drops.get(caller, slug);
      const versions = await drops.listVersions(caller, slug);
      const version = pick(versions, readVersionNumber(req));
      const shown = await findOwnPage(pages, caller, slug, version.number);
      const preview = shown.isTakenDown ? null : await previewOf(shown);
      const text = await pages.context(shown);
      const context = text === null ? null : raw(text);
      return versionPage({ drop, version, total: versions.length, preview, context, formField });
    }),
    file(paths.html(':n'), (req, res, { caller }) => source.read(req, res, caller)),
  ];
}

function versionPage(data: {
  readonly drop: Drop;
  readonly version: OwnedVersion;
  /** How many versions the drop has. */
  readonly total: number;
  /** null: the drop was taken down. */
  readonly preview: Preview | null;
  /** Sanitized markup; null: none. */
  readonly context: Html | null;
  readonly formField: Html;
}): PageParts {
  const { drop, version, total, preview, context, formField } = data;
  const { number } = version;
  const paths = dropPaths(drop.slug);
  const isLive = number === drop.latestVersion;
  const mayChange = drop.takedown === null;
  return {
    title: `Version ${number}`,
    styles: historyStyles,
    ...(preview && { policy: { 'frame-src': preview.source } }),
    body: html`${dropCrumbs(drop)}
<div class="page-head"><div><h1>Version ${number}${isLive && html` <span class="badge good">Live</span>`}</h1>
${versionFacts(version)}</div>
<form class="actions" method="post">${formField}<input type="hidden" name="if_match" value="${drop.rev}">
${total > 1 && html`<a class="button quiet small" href="${paths.compare}${isLive ? '' : `?from=${number}`}">Compare</a>`}
<a class="button quiet small" href="${paths.html(number)}" download>Download</a>
${mayChange && !isLive && html`<button class="quiet small" formaction="${paths.restore(number)}">Restore</button>`}
${mayChange && total > 1 && html`<a class="button danger quiet small" href="${paths.removeVersion(number)}">Delete</a>`}
</form></div>
${
  preview === null
    ? html`<p class="notice bad">The operators of this service took the page down, so it cannot be shown. You can download it.</p>`
    : html`<iframe class="version-frame" src="${preview.src}" title="Version ${number}" sandbox="${preview.sandbox}" referrerpolicy="no-referrer"></iframe>`
}
${context && html`<section class="panel" aria-labelledby="context-title"><h2 id="context-title">Context</h2><div class="context-text">${context}</div></section>`}`,
  };
}

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

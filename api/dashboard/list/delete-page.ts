import type { Drop } from '../../../shared/domain/drop.ts';
import type { DropError } from '../../../shared/domain/errors.ts';
import { envelopeData, errorText } from '../../html/error-page.ts';
import { type Html, html, visible } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { countOf } from '../../html/quantity.ts';
import { presentError } from '../../http/http-error.ts';
import { ownerPath, pageUrl } from '../../http/paths.ts';

/** Prefix of the fields that name the selected drops: `drop.SLUG`, whose value is the revision that the person saw. */
export const selectedPrefix = 'drop.';

/** A drop that could not be deleted. */
export interface Kept {
  readonly drop: Drop;
  readonly error: DropError;
}

/** What will be deleted, by name; after an attempt, what was not deleted, and why. */
export function deletePage(
  parts: {
    readonly selected: readonly Drop[];
    readonly kept: readonly Kept[];
    /** The path of the list. */
    readonly back: string;
    readonly formField: Html;
  },
  baseUrl: string,
): PageParts {
  const { selected, kept, back, formField } = parts;
  const these = selected.length === 1 ? 'this drop' : `these ${selected.length} drops`;
  const [first] = kept;
  const whyKept = new Map(kept.map(({ drop, error }) => [drop.slug, error]));
  return {
    title: `Delete ${countOf(selected.length, 'drop')}`,
    styles: ['drops'],
    ...(first && { head: envelopeData(presentError(first.error)) }),
    body: html`<nav class="crumbs" aria-label="Breadcrumb"><a href="${back}">Drops</a><span>Delete</span></nav>
<h1>Delete ${these}?</h1>
${
  kept.length > 0
    ? html`<p class="notice bad" role="alert">${kept.length === 1 ? 'This drop was' : 'These drops were'} not deleted. The reason is below. Every other selected drop is deleted.</p>`
    : html`<p>All versions are deleted and the addresses stop working at once. Nobody can undo this.</p>`
}
<form method="post" action="/drops/delete">
${formField}<input type="hidden" name="back" value="${back}">
<ul class="deleted-drops">${selected.map((drop) => item(drop, whyKept.get(drop.slug), baseUrl))}</ul>
<div class="actions"><button type="submit" class="danger">Delete ${these}</button><a class="button quiet" href="${back}">Cancel</a></div>
</form>`,
  };
}

function item(drop: Drop, error: DropError | undefined, baseUrl: string): Html {
  const { slug, title, rev, latestVersion, viewCount } = drop;
  return html`<li><input type="hidden" name="${selectedPrefix}${slug}" value="${rev}">
<a class="strong wrap-anywhere" href="${ownerPath(slug)}">${visible(title)}</a>
<p class="meta"><span class="wrap-anywhere">${pageUrl(baseUrl, slug)}</span><span>Version ${latestVersion}</span><span>${countOf(viewCount, 'view')}</span></p>
${error && html`<p class="small bad-text">${reason(error)}</p>`}</li>
`;
}

function reason(error: DropError): string {
  if (error.code !== 'version_conflict') return errorText(error);
  return 'It was changed after you opened this page. What you see here is its present state.';
}

import type { Drop } from '../../../shared/domain/drop.ts';
import { envelopeData, errorText, formError } from '../../html/error-page.ts';
import { type Html, html, visible } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import type { ErrorEnvelope } from '../../http/http-error.ts';
import { ownerPath } from '../../http/paths.ts';

/** The way back to the drop. */
export function crumbs({ slug, title }: Pick<Drop, 'slug' | 'title'>): Html {
  return html`<nav class="crumbs" aria-label="Breadcrumb"><a href="/drops">Drops</a><a class="clip" href="${ownerPath(slug)}">${visible(title)}</a></nav>`;
}

/** A page that says what will happen, and does it when its form is sent. */
export function confirmationPage(parts: {
  readonly drop: Pick<Drop, 'slug' | 'title' | 'rev' | 'latestVersion'>;
  /** A question. */
  readonly title: string;
  /** What will happen, and to what. */
  readonly body: Html;
  readonly button: string;
  readonly isDangerous: boolean;
  /** null: it cannot be done, as `body` says. */
  readonly formField: Html | null;
  /** The error of the last attempt. */
  readonly envelope?: ErrorEnvelope | undefined;
}): PageParts {
  const { drop, title, body, button, isDangerous, formField, envelope } = parts;
  const back = ownerPath(drop.slug);
  return {
    title,
    styles: ['history'],
    ...(envelope && { head: envelopeData(envelope) }),
    body: html`${crumbs(drop)}
<section class="panel confirmation"><h1>${title}</h1>
${formError(envelope && describe(envelope, drop))}
${body}
${
  formField === null
    ? html`<p><a class="button quiet" href="${back}">Back to the drop</a></p>`
    : html`<form method="post">${formField}<input type="hidden" name="if_match" value="${drop.rev}">
<div class="actions"><button${isDangerous && html` class="danger"`}>${button}</button><a class="button quiet" href="${back}">Cancel</a></div></form>`
}</section>`,
  };
}

/** The API's message about a conflict is for programs. */
function describe({ error }: ErrorEnvelope, { latestVersion }: Pick<Drop, 'latestVersion'>): string {
  return error.code === 'version_conflict'
    ? `The drop was changed after you opened the page: version ${latestVersion} is live now. Nothing was done. Check whether you still want this.`
    : errorText(error);
}

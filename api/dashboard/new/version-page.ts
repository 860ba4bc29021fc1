import type { Config } from '../../../shared/config/config.ts';
import type { Drop } from '../../../shared/domain/drop.ts';
import { envelopeData, errorText, formError } from '../../html/error-page.ts';
import { type Html, html } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { sizeText } from '../../html/quantity.ts';
import type { ErrorEnvelope } from '../../http/http-error.ts';
import { newVersionPath, ownerPath } from '../../http/paths.ts';
import { crumbs } from '../history/confirmation-page.ts';
import { documentFields } from './page.ts';

export interface VersionForm {
  readonly drop: Pick<Drop, 'slug' | 'title' | 'rev' | 'latestVersion'>;
  readonly pasted: string;
  /** Random, made with the form. */
  readonly key: string;
  readonly formField: Html;
  /** Why the version was not published. */
  readonly envelope?: ErrorEnvelope;
}

/** The form with which a person publishes another document at the address of a drop. */
export function versionPage(
  { drop, pasted, key, formField, envelope }: VersionForm,
  config: Config,
): PageParts {
  const isInvalid = envelope?.error.details?.field === 'html';
  return {
    title: 'New version',
    styles: ['drops'],
    ...(envelope && { head: envelopeData(envelope) }),
    body: html`<div class="reading">${crumbs(drop)}
<h1>New version</h1>
<p class="soft">Viewers see it at the same address, in place of version ${drop.latestVersion}, which you can compare and restore. Title, description, tags and passcode stay. Up to ${sizeText(config.HTML_MAX_BYTES)}.</p>
<form method="post" action="${newVersionPath(drop.slug)}" enctype="multipart/form-data" class="panel">
${formError(envelope && describe(envelope, drop))}
${formField}<input type="hidden" name="key" value="${key}"><input type="hidden" name="if_match" value="${drop.rev}">
${documentFields(pasted, isInvalid)}
<div class="actions"><button type="submit">Publish</button><a class="button quiet" href="${ownerPath(drop.slug)}">Cancel</a></div>
</form></div>`,
  };
}

/** The API's message about a conflict is for programs. */
function describe({ error }: ErrorEnvelope, { latestVersion }: Pick<Drop, 'latestVersion'>): string {
  return error.code === 'version_conflict'
    ? `The drop was changed after you opened the page: version ${latestVersion} is live now. Nothing was published. Publish again to replace it.`
    : errorText(error);
}

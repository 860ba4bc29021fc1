import type { Request } from 'express';
import type { Config } from '../../../shared/config/config.ts';
import type { DropError } from '../../../shared/domain/errors.ts';
import type { Drop } from '../../../shared/drops/drop.ts';
import { DropBodyReaders } from '../../drops/requests.ts';
import { sizeText } from '../../html/elements.ts';
import { formError } from '../../html/forms.ts';
import { type Html, html } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { readSlug } from '../../http/parameters.ts';
import { previewPath } from '../../http/paths.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import type { BrowserSession } from '../../http/session.ts';
import { createPreviews, type Preview } from '../../pages/frame.ts';
import { contextField } from '../drop/context.ts';
import { conflictText, dropCrumbs, revisionField, targetOf } from '../drop/revision-field.ts';
import { historyStyles } from '../history/versions.ts';
import { dashboardPages } from '../pages.ts';
import { dropPaths } from '../paths.ts';
import { documentFields, documentForm, type Sent, sizeLimit, textOf } from './document.ts';
import { risksQuestion } from './risks.ts';

export type VersionConfig = Pick<Config, 'BASE_URL' | 'HTML_MAX_BYTES' | 'CONTEXT_MAX_BYTES'>;

interface VersionForm {
  readonly drop: Drop;
  /** Of the version that is live. null: the drop was taken down. */
  readonly preview: Preview | null;
  /** What was sent. Absent: nothing yet. */
  readonly sent?: Sent;
  readonly formField: Html;
  /** Why the version was not published. */
  readonly error?: DropError;
}

/** /drops/{slug}/new-version: a person publishes another document at the address of a drop. */
export function newVersionRoutes(parts: RouteParts): readonly Route[] {
  const { drops, followingTitles, config } = parts.services;
  const previewOf = createPreviews(parts.services);
  const path = dropPaths(':slug').newVersion;
  const bodies = new DropBodyReaders(config);

  async function read(req: Request, { caller, formField }: BrowserSession): Promise<VersionForm> {
    const drop = await drops.get(caller, readSlug(req));
    return { drop, preview: await previewOf(caller, drop.slug), formField };
  }

  return [
    dashboardPages(parts, 'drops').page(path, async (req, _, session) =>
      versionPage(await read(req, session), config),
    ),

    /** After a conflict the form is about the drop as it is now, so that sending it again publishes after what is live. */
    documentForm(parts, {
      path,
      nav: 'drops',
      notice: 'published',
      read(req, caller, html, sent) {
        const target = targetOf(req, textOf(sent, 'if_match'));
        const context = bodies.readContext({ context: textOf(sent, 'context') });
        return (ids, warn) => followingTitles.addVersion(caller, target, { html, context }, { ids, warn });
      },
      again: async (req, session, sent, error) =>
        versionPage({ ...(await read(req, session)), sent, error }, config),
    }),
  ];
}

/** The page whose form publishes another document at the address of a drop. */
function versionPage(parts: VersionForm, config: Config): PageParts {
  const { drop, error } = parts;
  const { body, ...form } = versionForm(parts, config);
  return {
    ...form,
    title: 'New version',
    error,
    body: html`${dropCrumbs(drop)}
<h1>New version</h1>
<p class="soft">Viewers see it at the same address, in place of version ${drop.latestVersion}, which you can compare and restore. Description, tags and passcode stay, and a title that you gave; one that is the document's own follows it. Up to ${sizeText(config.HTML_MAX_BYTES)}.</p>
${body}`,
  };
}

/**
 * The form, and the version that is live beside the new one, which a script shows. After a conflict the script takes what is
 * `data-renew` from the page as it is then (browser/publish.ts).
 */
export function versionForm(parts: VersionForm, config: VersionConfig) {
  const { drop, preview, sent = { fields: new Map() }, formField, error } = parts;
  const { drop: back, newVersion } = dropPaths(drop.slug);
  const again = 'Nothing was published. Publish again to replace it.';
  const field = error?.details?.field;
  const context = textOf(sent, 'context');
  const next = html`<span data-renew>${drop.latestVersion + 1}</span>`;
  const body = html`<div class="dropzone drop-target" data-drop-target hidden><p class="strong">Drop the file to see it beside the version that is live</p></div>
<form method="post" action="${newVersion}" enctype="multipart/form-data" data-publish="published"${sizeLimit(config)}>
${formError(conflictText(drop, error, again) ?? error)}
<span data-renew>${formField}${revisionField(drop)}</span>
${documentFields(sent, field)}
<div data-details><details class="more"${context !== '' && html` open`}><summary>Context</summary>${contextField(context, config.CONTEXT_MAX_BYTES, field === 'context')}</details>
<div class="actions"><button type="submit"><span>Publish version ${next}</span></button><a class="button quiet" href="${back}">Cancel</a><span class="small soft" data-progress role="status"></span></div>
${risksQuestion(error)}</div>
</form>
<div class="sides">${
    preview &&
    html`<figure data-renew><figcaption><b>Version ${drop.latestVersion}</b> <span class="soft small">live now</span></figcaption>
<iframe src="${preview.src}" title="Version ${drop.latestVersion}" sandbox="${preview.sandbox}" loading="lazy" referrerpolicy="no-referrer"></iframe></figure>`
  }
<figure data-preview="${previewPath}" hidden><figcaption><b>Version ${next}</b> <span class="soft small">not published yet</span></figcaption></figure></div>`;
  const shown = config.BASE_URL + previewPath;
  return {
    body,
    styles: [...historyStyles, 'drops', 'publish'],
    scripts: ['publish'],
    policy: { 'connect-src': "'self'", 'frame-src': preview ? `${preview.source} ${shown}` : shown },
  };
}

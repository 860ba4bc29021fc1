import type { Caller } from '../../../shared/accounts/account.ts';
import type { Config } from '../../../shared/config/config.ts';
import type { DropError } from '../../../shared/domain/errors.ts';
import type { Drop, WriteIds } from '../../../shared/drops/drop.ts';
import type { Target } from '../../../shared/drops/drops.ts';
import { createDropBodyReaders } from '../../drops/requests.ts';
import { formError } from '../../html/forms.ts';
import { type Html, html } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { sizeText } from '../../html/parts.ts';
import { readSlug } from '../../http/parameters.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { contextField } from '../drop/context.ts';
import { conflictText, dropCrumbs, revisionField, targetOf } from '../drop/parts.ts';
import { dashboardPages } from '../pages.ts';
import { dropPaths } from '../paths.ts';
import { documentFields, documentForm, type FormParts, keyOfForm, readDocument, textOf } from './document.ts';

interface VersionForm {
  readonly drop: Drop;
  /** What was sent. Absent: nothing yet. */
  readonly sent?: FormParts;
  readonly formField: Html;
  /** Why the version was not published. */
  readonly error?: DropError;
}

/** /drops/{slug}/new-version: a person publishes another document at the address of a drop. */
export function newVersionRoutes(parts: RouteParts): readonly Route[] {
  const { drops, idempotency, config } = parts.services;
  const path = dropPaths(':slug').newVersion;
  const bodies = createDropBodyReaders(config);

  /** Title, description, tags and passcode stay. The same form sent twice publishes once. */
  async function publish(caller: Caller, target: Target, sent: FormParts): Promise<void> {
    const html = readDocument(sent, config.HTML_MAX_BYTES);
    const context = bodies.readContext({ context: textOf(sent, 'context') });
    const add = (ids?: WriteIds) => drops.addVersion(caller, target, { html, context }, ids);
    await idempotency.once(caller, keyOfForm(dropPaths(target.slug).newVersion, sent), target.slug, add);
  }

  return [
    dashboardPages(parts, 'drops').page(path, async (req, _, { caller, formField }) =>
      versionPage({ drop: await drops.get(caller, readSlug(req)), formField }, config),
    ),

    /** After a conflict the form is about the drop as it is now, so that sending it again publishes after what is live. */
    documentForm(parts, {
      path,
      nav: 'drops',
      async save(req, _, { caller }, sent) {
        const slug = readSlug(req);
        await publish(caller, targetOf(req, textOf(sent, 'if_match')), sent);
        return `${dropPaths(slug).drop}?notice=published`;
      },
      again: async (req, { caller, formField }, sent, error) =>
        versionPage({ drop: await drops.get(caller, readSlug(req)), sent, formField, error }, config),
    }),
  ];
}

/** The form with which a person publishes another document at the address of a drop. */
function versionPage({ drop, sent = new Map(), formField, error }: VersionForm, config: Config): PageParts {
  const { drop: back, newVersion } = dropPaths(drop.slug);
  const again = 'Nothing was published. Publish again to replace it.';
  return {
    title: 'New version',
    styles: ['drops'],
    error,
    body: html`<div class="reading">${dropCrumbs(drop)}
<h1>New version</h1>
<p class="soft">Viewers see it at the same address, in place of version ${drop.latestVersion}, which you can compare and restore. Title, description, tags and passcode stay. Up to ${sizeText(config.HTML_MAX_BYTES)}.</p>
<form method="post" action="${newVersion}" enctype="multipart/form-data" class="panel">
${formError(conflictText(drop, error, again) ?? error)}
${formField}${revisionField(drop)}
${documentFields(sent, error?.details?.field)}
${contextField(textOf(sent, 'context'), config.CONTEXT_MAX_BYTES, error?.details?.field === 'context')}
<div class="actions"><button type="submit">Publish</button><a class="button quiet" href="${back}">Cancel</a></div>
</form></div>`,
  };
}

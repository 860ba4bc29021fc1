import { createHash } from 'node:crypto';
import type { Config } from '../../../shared/config/config.ts';
import type { DropError } from '../../../shared/domain/errors.ts';
import type { Drop, WriteIds } from '../../../shared/drops/drop.ts';
import { limitTable } from '../../../shared/limits/limit-table.ts';
import { DropBodyReaders } from '../../drops/requests.ts';
import { sizeText } from '../../html/elements.ts';
import { fieldState, formError } from '../../html/forms.ts';
import { type Html, html, raw } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { readSlug } from '../../http/parameters.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { historyStyles } from '../history/versions.ts';
import { dashboardPages } from '../pages.ts';
import { dropPaths } from '../paths.ts';
import { conflictText, dropCrumbs, revisionField, targetOf } from './revision-field.ts';

/** Fields that are not the context. */
const otherFieldsBytes = 4 * 1024;

interface ContextForm {
  readonly drop: Drop;
  /** Markdown, as it is stored or was typed. */
  readonly context: string;
  readonly formField: Html;
  /** Sanitized markup. */
  readonly preview?: string;
  readonly error?: DropError | undefined;
}

/** /drops/{slug}/context: another context for the latest document. A version never changes, so this publishes the next one. */
export function contextRoutes(parts: RouteParts): readonly Route[] {
  const { drops, idempotency, rendering, config } = parts.services;
  const pages = dashboardPages(parts, 'drops');
  const bodies = new DropBodyReaders(config);

  return pages.confirmed(
    dropPaths(':slug').context,
    limitTable.write,
    {
      async ask(req, { caller, formField }, attempt) {
        const drop = await drops.get(caller, readSlug(req));
        // The page of a drop that was taken down says why it cannot be changed.
        if (drop.takedown !== null && attempt === undefined) return dropPaths(drop.slug).drop;
        const context = attempt
          ? textOf(attempt.form)
          : (await drops.getVersion(caller, drop.slug, drop.latestVersion)).context;
        return contextPage({ drop, context: context ?? '', formField, error: attempt?.error }, config);
      },

      async perform(req, _, { caller, formField }, sent) {
        const target = targetOf(req, sent.get('if_match'));
        const text = textOf(sent);
        const context = bodies.readContext({ context: text });
        const drop = await drops.get(caller, target.slug);
        if (sent.get('action') === 'preview') {
          const preview = await rendering.renderContext(caller.accountId, text);
          return contextPage({ drop, context: text, formField, preview }, config);
        }
        // The same form sent twice publishes once: its revision is a part of the key.
        const hash = createHash('sha256').update(text).digest('hex');
        const key = `context form ${target.slug} ${target.revs} ${hash}`;
        const write = (ids?: WriteIds) =>
          drops.restoreVersion(caller, target, drop.latestVersion, ids, { context });
        await idempotency.once(caller, { key, hash }, target.slug, write);
        return `${dropPaths(target.slug).drop}?notice=context`;
      },
    },
    // A line break is one byte, and is sent as `%0D%0A`.
    { maxBytes: 6 * config.CONTEXT_MAX_BYTES + otherFieldsBytes },
  );
}

/** Browsers send a line break as CR LF. */
function textOf(form: ReadonlyMap<string, string>): string {
  return (form.get('context') ?? '').replace(/\r\n?/g, '\n');
}

function contextPage(
  { drop, context, formField, preview, error }: ContextForm,
  { CONTEXT_MAX_BYTES }: Config,
): PageParts {
  const { drop: back, context: path } = dropPaths(drop.slug);
  const next = drop.latestVersion + 1;
  const again = 'Nothing was published. Publish again to take the HTML that is live now.';
  const isWrong = error?.details?.field === 'context';
  return {
    title: 'Context',
    styles: historyStyles,
    error,
    body: html`<div class="reading">${dropCrumbs(drop)}
<h1>Context</h1>
<p class="soft">A version never changes: this publishes version ${next} with the HTML of version ${drop.latestVersion} and this text.</p>
<form method="post" action="${path}" class="panel">
${formError(conflictText(drop, error, again) ?? error)}
${formField}${revisionField(drop)}
${contextField(context, CONTEXT_MAX_BYTES, isWrong)}
<div class="actions"><button type="submit">Publish version ${next}</button><button type="submit" class="quiet" name="action" value="preview">Preview</button>
<a class="button quiet" href="${back}">Cancel</a></div>
</form></div>
${preview !== undefined && html`<section class="panel reading" aria-labelledby="preview-title"><h2 id="preview-title">Preview</h2><div class="context">${raw(preview)}</div></section>`}`,
  };
}

/** @param context Markdown */
export function contextField(context: string, maxBytes: number, isWrong: boolean): Html {
  return html`<label for="context">Context</label>
<textarea id="context" name="context" rows="12"${fieldState(isWrong, 'context-hint')}>
${context}</textarea>
<p class="hint" id="context-hint">How this version was made, in Markdown: viewers read it beside the page, your agents in the API. Up to ${sizeText(maxBytes)}; leave it empty for none.</p>`;
}

import type { DropError } from '../../../shared/domain/errors.ts';
import type { Drop } from '../../../shared/drops/drop.ts';
import { limitTable } from '../../../shared/limits/limit-table.ts';
import { DropBodyReaders } from '../../drops/requests.ts';
import { timeTag } from '../../html/elements.ts';
import { fieldState, formError, formFaultsOf } from '../../html/forms.ts';
import { type Fragment, type Html, html, visible, visibleLines } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { readSlug } from '../../http/parameters.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { commenterNames, commenterOptions } from '../comments/comment-labels.ts';
import { dashboardPages } from '../pages.ts';
import { dropPaths } from '../paths.ts';
import * as fields from './edit-form.ts';
import { targetOf } from './revision-field.ts';

/** /drops/{slug}/edit: title, description, expiry and tags in one write. */
export function editRoutes(parts: RouteParts): readonly Route[] {
  const { drops, config } = parts.services;
  const pages = dashboardPages(parts, 'drops');
  const bodies = new DropBodyReaders(config);
  const maxTags = config.METADATA_MAX_KEYS;
  const savedPath = (slug: string) => `${dropPaths(slug).drop}?notice=saved`;

  return pages.confirmed(
    dropPaths(':slug').edit,
    limitTable.change,
    {
      /** After a conflict the form has the revision that is live, so that sending it again replaces that. */
      async ask(req, { caller, formField }, attempt) {
        const drop = await drops.get(caller, readSlug(req));
        if (attempt === undefined) {
          // The page of a drop that was taken down says why it cannot be changed.
          if (drop.takedown !== null) return dropPaths(drop.slug).drop;
          return editPage({ drop, values: fields.valuesOf(drop, maxTags), formField, maxTags });
        }
        const { error } = attempt;
        const sent = fields.readValues(attempt.form);
        const isConflict = error.code === 'version_conflict';
        if (isConflict && fields.isStoredAlready(sent, drop, maxTags)) return savedPath(drop.slug);
        const values = isConflict ? fields.afterConflict(sent, drop, maxTags) : sent;
        return editPage({ drop, values, formField, maxTags, error });
      },

      async perform(req, _, { caller, formField }, sent) {
        const values = fields.readValues(sent);
        const drop = await drops.get(caller, readSlug(req));
        if (sent.get('action') === 'more-tags')
          return editPage({ drop, values: fields.withMoreRows(values, maxTags), formField, maxTags });
        const changes = bodies.readPatch(fields.toPatchBody(values, drop));
        await drops.change(caller, targetOf(req, values.ifMatch), changes);
        return savedPath(drop.slug);
      },
    },
    { maxBytes: fields.editFormBytes(config) },
  );
}

/** The form of title, description, expiry and tags. */
export function editPage(parts: {
  readonly drop: Drop;
  readonly values: fields.EditValues;
  /** The hidden field of the session. */
  readonly formField: Html;
  readonly maxTags: number;
  /** Why the change was refused. */
  readonly error?: DropError;
}): PageParts {
  const { drop, values, formField, maxTags, error } = parts;
  const { drop: path, edit } = dropPaths(drop.slug);
  const isConflict = error?.code === 'version_conflict';
  const faults = error && !isConflict ? formFaultsOf(error) : null;
  const isWrong = (field: string) => faults?.fields.has(field) ?? false;
  const now = isConflict ? drop : null;
  const tags = [...drop.metadata].map(([key, text]) => html`${visible(key)}: ${visible(text)}`);
  const isSame = fields.fieldsText(values).tags === fields.fieldsText(fields.valuesOf(drop, maxTags)).tags;
  return {
    title: 'Edit details',
    error,
    styles: ['drop'],
    scripts: ['drop'],
    body: html`<div class="reading"><h1>Edit details</h1>
<p class="clip"><a href="${path}">${visible(drop.title)}</a></p>
<form class="panel" method="post" action="${edit}">
${isConflict && conflictNotice}
${formError(faults?.message)}
${formField}
<input type="hidden" name="if_match" value="${values.ifMatch}">
<input type="hidden" name="shown" value="${values.shown}">
<label for="title">Title</label>
<input id="title" name="title" type="text" value="${values.title}" required autocomplete="off"${fieldState(isWrong('title'))}>
${now && now.title !== values.title && live(visible(now.title))}
<label for="description">Description</label>
<textarea id="description" name="description" rows="3"${fieldState(isWrong('description'), 'description-hint')}>
${values.description}</textarea>
<p class="hint" id="description-hint">Previews of the link show it.</p>
${now && (now.description ?? '') !== values.description && live(now.description === null ? 'no description' : visibleLines(now.description))}
<label for="expires">Expires <span class="zone" data-zone>(UTC)</span></label>
<input id="expires" name="expires" type="datetime-local" value="${values.expires}" autocomplete="off" data-utc${fieldState(isWrong('expires_at'), 'expires-hint')}>
<p class="hint" id="expires-hint">The page and all its versions are deleted then, for good. Leave it empty to keep them.</p>
${now && values.expires !== fields.expiresField(now) && live(now.expiresAt === null ? 'never' : timeTag(now.expiresAt))}
<label for="comments">Who may comment</label>
<select id="comments" name="comments"${fieldState(isWrong('comments'), 'comments-hint')}>${commenterOptions(values.comments)}</select>
<p class="hint" id="comments-hint">What people without an account write is shown after you have approved it.</p>
${now && values.comments !== now.comments && live(commenterNames[now.comments])}
<fieldset class="tag-rows"${fieldState(isWrong('metadata'), 'tags-hint', false)}>
<legend>Tags</legend>
<p class="hint" id="tags-hint">Only you see them. Empty both fields of a tag to remove it.</p>
${values.tags.map(([name, value], row) => tagRow(name, value, row, isWrong(`metadata.${name}`)))}
${now && !isSame && live(tags.length === 0 ? 'no tags' : tags.map((tag, i) => html`${i > 0 && ', '}${tag}`))}
</fieldset>
<div class="actions"><button type="submit">Save</button>
${values.tags.length < maxTags && html`<button type="submit" class="quiet" name="action" value="more-tags" formnovalidate>Add tags</button>`}
<a class="button quiet" href="${path}">Cancel</a></div>
</form></div>`,
  };
}

function tagRow(name: string, value: string, row: number, isWrong: boolean): Html {
  const field = (part: 'name' | 'value', text: string) =>
    html`<input name="${fields.tagField(part, row)}" type="text" value="${text}" aria-label="${part === 'name' ? 'Name' : 'Value'} of tag ${row + 1}" placeholder="${part}" autocomplete="off" autocapitalize="none" spellcheck="false"${fieldState(isWrong, undefined, part === 'name')}>`;
  return html`<div class="fields-row tag-row">${field('name', name)}${field('value', value)}</div>
`;
}

const conflictNotice = html`<p class="notice warn" id="fault" role="alert"><strong>The drop was changed while you edited it.</strong>
Nothing was saved yet. The fields that you changed have what you entered, with what is live now below them. Save again to
replace it.</p>`;

function live(value: Fragment): Html {
  return html`<p class="live">Live now: ${value}</p>`;
}

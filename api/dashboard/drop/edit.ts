import type { DropError } from '../../../shared/domain/errors.ts';
import type { Drop } from '../../../shared/drops/drop.ts';
import { readRevisions } from '../../drops/fields.ts';
import { createDropBodyReaders } from '../../drops/requests.ts';
import { fieldState, formError } from '../../html/forms.ts';
import { type Fragment, type Html, html, visible } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { timeTag } from '../../html/parts.ts';
import { readSlug } from '../../http/parameters.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { orAgain } from '../../http/show.ts';
import { dashboardPages } from '../pages.ts';
import { dropPaths } from '../paths.ts';
import {
  afterConflict,
  type EditValues,
  editFormBytes,
  expiresField,
  faultsOf,
  fieldsText,
  isLive,
  readValues,
  tagField,
  toPatchBody,
  valuesOf,
  withMoreRows,
} from './edit-form.ts';

/** /drops/{slug}/edit */
export function editRoutes(parts: RouteParts): readonly Route[] {
  const { drops, config } = parts.services;
  const { page, form } = dashboardPages(parts, 'drops');
  const bodies = createDropBodyReaders(config);
  const maxTags = config.METADATA_MAX_KEYS;
  const path = dropPaths(':slug').edit;
  return [
    page(path, async (req, _, { caller, formField }) => {
      const drop = await drops.get(caller, readSlug(req));
      // The page of a drop that was taken down says why it cannot be changed.
      return drop.takedown === null
        ? editPage({ drop, values: valuesOf(drop, maxTags), formField, maxTags })
        : dropPaths(drop.slug).drop;
    }),

    /** One write. After a conflict the form has the revision that is live, so that sending it again replaces that. */
    form(
      path,
      'changes_per_minute',
      async (req, _, { caller, formField }, sent) => {
        const slug = readSlug(req);
        const saved = `${dropPaths(slug).drop}?notice=saved`;
        const values = readValues(sent);
        const drop = await drops.get(caller, slug);
        if (sent.get('action') === 'more-tags')
          return editPage({ drop, values: withMoreRows(values, maxTags), formField, maxTags });
        const save = async () => {
          const changes = bodies.readPatch(toPatchBody(values, drop));
          await drops.change(caller, { slug, revs: readRevisions(values.ifMatch) }, changes);
          return saved;
        };
        return orAgain(req, save, async (error) => {
          const now = await drops.get(caller, slug);
          const isConflict = error.code === 'version_conflict';
          if (isConflict && isLive(values, now, maxTags)) return saved;
          const shown = isConflict ? afterConflict(values, now, maxTags) : values;
          return editPage({ drop: now, values: shown, formField, maxTags, error });
        });
      },
      { maxBytes: editFormBytes(config) },
    ),
  ];
}

/** The form of title, description, expiry and tags. */
export function editPage(parts: {
  readonly drop: Drop;
  readonly values: EditValues;
  /** Of the session. */
  readonly formField: Html;
  readonly maxTags: number;
  /** Why the change was refused. */
  readonly error?: DropError;
}): PageParts {
  const { drop, values, formField, maxTags, error } = parts;
  const { drop: path, edit } = dropPaths(drop.slug);
  const isConflict = error?.code === 'version_conflict';
  const faults = error && !isConflict ? faultsOf(error) : null;
  const state = (field: 'title' | 'description' | 'expires', hint?: string) =>
    fieldState(faults?.hasFault(field) ?? false, hint);
  const now = isConflict ? drop : null;
  const isSame = fieldsText(values).tags === fieldsText(valuesOf(drop, maxTags)).tags;
  return {
    title: 'Edit details',
    error,
    styles: ['drop'],
    scripts: ['drop'],
    body: html`<div class="reading"><h1>Edit details</h1>
<p class="of-drop"><a href="${path}">${visible(drop.title)}</a></p>
<form class="panel" method="post" action="${edit}">
${isConflict && conflictNotice}
${formError(faults?.messages.map((message) => `${message}.`).join(' '))}
${formField}
<input type="hidden" name="if_match" value="${values.ifMatch}">
<input type="hidden" name="shown" value="${values.shown}">
<label for="title">Title</label>
<input id="title" name="title" type="text" value="${values.title}" required autocomplete="off"${state('title')}>
${now && now.title !== values.title && live(visible(now.title))}
<label for="description">Description</label>
<textarea id="description" name="description" rows="3"${state('description', 'description-hint')}>
${values.description}</textarea>
<p class="hint" id="description-hint">Previews of the link show it.</p>
${now && (now.description ?? '') !== values.description && live(now.description === null ? 'no description' : visible(now.description))}
<label for="expires">Expires <span class="zone" data-zone>(UTC)</span></label>
<input id="expires" name="expires" type="datetime-local" value="${values.expires}" autocomplete="off" data-utc${state('expires', 'expires-hint')}>
<p class="hint" id="expires-hint">The page and all its versions are deleted then, for good. Leave it empty to keep them.</p>
${now && values.expires !== expiresField(now) && live(now.expiresAt === null ? 'never' : timeTag(now.expiresAt))}
<fieldset class="tag-rows"${fieldState(faults?.hasFault('tags') ?? false, 'tags-hint', false)}>
<legend>Tags</legend>
<p class="hint" id="tags-hint">Only you see them. Empty both fields of a tag to remove it.</p>
${values.tags.map(([name, value], row) => tagRow(name, value, row, faults?.hasTagFault(name) ?? false))}
${now && !isSame && live(now.metadata.size === 0 ? 'no tags' : [...now.metadata].map(([key, value], i) => html`${i > 0 && ', '}${visible(key)}: ${visible(value)}`))}
</fieldset>
<div class="actions"><button type="submit">Save</button>
${values.tags.length < maxTags && html`<button type="submit" class="quiet" name="action" value="more-tags" formnovalidate>Add tags</button>`}
<a class="button quiet" href="${path}">Cancel</a></div>
</form></div>`,
  };
}

function tagRow(name: string, value: string, row: number, isWrong: boolean): Html {
  const field = (part: 'name' | 'value', text: string) =>
    html`<input name="${tagField(part, row)}" type="text" value="${text}" aria-label="${part === 'name' ? 'Name' : 'Value'} of tag ${row + 1}" placeholder="${part}" autocomplete="off" autocapitalize="none" spellcheck="false"${fieldState(isWrong, undefined, part === 'name')}>`;
  return html`<div class="fields-row tag-row">${field('name', name)}${field('value', value)}</div>
`;
}

const conflictNotice = html`<p class="notice warn" id="fault" role="alert"><strong>The drop was changed while you edited it.</strong>
Nothing was saved yet. The fields that you changed have what you entered, with what is live now below them. Save again to
replace it.</p>`;

function live(value: Fragment): Html {
  return html`<p class="live">Live now: ${value}</p>`;
}

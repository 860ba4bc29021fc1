import type { Caller } from '../../../shared/accounts/account.ts';
import type { Config } from '../../../shared/config/config.ts';
import { type DropError, nullIfNotFound } from '../../../shared/domain/errors.ts';
import { randomBase62 } from '../../../shared/domain/ids.ts';
import type { Drop, WriteIds } from '../../../shared/drops/drop.ts';
import { presentDrop } from '../../drops/presenter.ts';
import { fieldState, formError } from '../../html/forms.ts';
import { type Html, html, visible } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { copyButton, sizeText } from '../../html/parts.ts';
import { isNavigation } from '../../http/answer-error.ts';
import { queryOf } from '../../http/parameters.ts';
import { newDropPath, ownerPath, pagePath, pageUrl } from '../../http/paths.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { sendJson } from '../../http/send.ts';
import { orAgain } from '../../http/show.ts';
import { dashboardPages } from '../pages.ts';
import { documentForm, type FormParts, formKeyLength, keyOfForm, shownAgain } from './document.ts';
import { createNewFormReader, lifetimes, type NewFields, noFields, readFields } from './form.ts';

interface NewPage {
  readonly fields: NewFields;
  readonly formField: Html;
  /** What this form has published before. */
  readonly published?: Drop | null;
  readonly error?: DropError;
}

/** /drops/new: a person publishes a file or what they paste. */
export function newDropRoutes(parts: RouteParts): readonly Route[] {
  const { drops, idempotency, clock, config } = parts.services;
  const form = createNewFormReader(parts.services);

  async function publish(caller: Caller, sent: FormParts): Promise<Drop> {
    const input = await form.read(caller, sent, clock.now());
    const create = (ids?: WriteIds) => drops.create(caller, input, ids);
    return (await idempotency.once(caller, keyOfForm(newDropPath, sent), null, create)).drop;
  }

  return [
    dashboardPages(parts, 'new').page(newDropPath, async (req, _, { caller, formField }) => {
      const { published: slug } = queryOf(req);
      const published = typeof slug === 'string' ? await drops.get(caller, slug).catch(nullIfNotFound) : null;
      const fields = { ...noFields, key: randomBase62(formKeyLength) };
      return newPage({ fields, published, formField }, config);
    }),

    /** A script gets the drop, or the error's envelope; a person's form leads back to the page. */
    documentForm(parts, { path: newDropPath, nav: 'new' }, async (req, res, { caller, formField }, sent) => {
      const save = async () => {
        const drop = await publish(caller, sent);
        if (isNavigation(req)) return `${newDropPath}?published=${drop.slug}`;
        sendJson(res, presentDrop(drop, config.BASE_URL), 201);
        return null;
      };
      return orAgain(req, save, (error) => {
        const { passcode: _, html, ...rest } = readFields(sent);
        return newPage({ fields: { ...rest, html: shownAgain(html) }, formField, error }, config);
      });
    }),
  ];
}

function newPage({ fields, published, formField, error }: NewPage, config: Config): PageParts {
  const fault = error?.details?.field;
  const isInvalid = (name: string) =>
    typeof fault === 'string' && (fault === name || fault.startsWith(`${name}.`));
  const isOpen =
    [fields.description, fields.tags, fields.expires].some((text) => text !== '') || isInMore(fault);
  return {
    title: 'New drop',
    styles: ['drops'],
    scripts: ['drops'],
    policy: { 'connect-src': "'self'" },
    error,
    body: html`${published && publishedNotice(published, config.BASE_URL)}
<div class="page-head"><div><h1>New drop</h1>
<p class="soft">Publish one self-contained HTML document, up to ${sizeText(config.HTML_MAX_BYTES)}.</p></div></div>
${dropTarget(formField, config)}
<form method="post" action="${newDropPath}" enctype="multipart/form-data" class="panel new-drop" data-publish>
${formError(error)}
${formField}<input type="hidden" name="key" value="${fields.key}">
${documentFields(fields.html, isInvalid('html'))}
<label for="title">Title</label>
<input id="title" name="title" value="${fields.title}" maxlength="${config.TITLE_MAX_CHARACTERS}" autocomplete="off"${fieldState(isInvalid('title'), 'title-hint')}>
<p class="hint" id="title-hint">Leave it empty to use the title of the document.</p>
<details class="more"${isOpen && html` open`}><summary>Description, tags, passcode, expiry</summary>
${moreFields(fields, isInvalid, config)}</details>
<div class="actions"><button type="submit">Publish</button><span class="small soft" data-progress role="status"></span></div>
</form>`,
  };
}

/** A file to choose, or text to paste. @param pasted before an error */
export function documentFields(pasted: string, isInvalid: boolean): Html {
  return html`<label for="file">HTML file</label>
<input id="file" name="file" type="file" accept=".html,.htm,text/html"${fieldState(isInvalid, 'file-hint')}>
<p class="hint" id="file-hint">UTF-8, with its styles, scripts and images inside.<span data-needs-script hidden> You can also drop files anywhere on this page.</span></p>
<label for="html">Or paste the HTML</label>
<textarea id="html" name="html" rows="8" class="code" spellcheck="false" autocapitalize="none" autocomplete="off"${fieldState(isInvalid, undefined, false)}>
${pasted}</textarea>`;
}

function moreFields(fields: NewFields, isInvalid: (name: string) => boolean, config: Config): Html {
  const { DESCRIPTION_MAX_CHARACTERS, METADATA_MAX_KEYS, PASSCODE_MIN_CHARACTERS, PASSCODE_MAX_CHARACTERS } =
    config;
  return html`<label for="description">Description</label>
<input id="description" name="description" value="${fields.description}" maxlength="${DESCRIPTION_MAX_CHARACTERS}" autocomplete="off"${fieldState(isInvalid('description'), 'description-hint')}>
<p class="hint" id="description-hint">Viewers see it in link previews.</p>
<label for="tags">Tags</label>
<textarea id="tags" name="tags" rows="3" spellcheck="false" autocapitalize="none"${fieldState(isInvalid('metadata'), 'tags-hint')}>
${fields.tags}</textarea>
<p class="hint" id="tags-hint">One on a line, such as <code>project=demo</code>; at most ${METADATA_MAX_KEYS}. Only you see them.</p>
<div class="fields-row"><div><label for="passcode">Passcode</label>
<input id="passcode" name="passcode" type="password" minlength="${PASSCODE_MIN_CHARACTERS}" maxlength="${PASSCODE_MAX_CHARACTERS}" autocomplete="new-password"${fieldState(isInvalid('passcode'), 'passcode-hint')}>
<p class="hint" id="passcode-hint">Viewers must enter it. At least ${PASSCODE_MIN_CHARACTERS} characters. Without one, everybody with the link can read the page.</p></div>
<div><label for="expires">Expires</label>
<select id="expires" name="expires"${fieldState(isInvalid('expires_at'), 'expires-hint')}>${Object.entries(
    lifetimes,
  )
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(
      ([days, text]) =>
        html`<option value="${days}"${days === fields.expires && html` selected`}>${text}</option>`,
    )}</select>
<p class="hint" id="expires-hint">Then the drop is deleted for good.</p></div></div>`;
}

function isInMore(field: unknown): boolean {
  return typeof field === 'string' && !['html', 'title', 'form'].includes(field);
}

function publishedNotice({ slug, title }: Drop, baseUrl: string): Html {
  const url = pageUrl(baseUrl, slug);
  return html`<div class="notice" role="status"><p><strong>Published:</strong> <a class="wrap-anywhere" href="${ownerPath(slug)}">${visible(title)}</a></p>
<p class="copyable"><code>${url}</code>${copyButton(url)}<a class="button quiet small" href="${pagePath(slug)}">Open</a></p></div>`;
}

/**
 * Where a script shows that files can be dropped, and what becomes of each. The form token comes from here on a page without
 * the form.
 */
export function dropTarget(formField: Html, { HTML_MAX_BYTES }: Config): Html {
  return html`<div class="dropzone drop-target" data-drop-target hidden><p class="strong">Drop HTML files to publish them</p></div>
<form hidden data-upload data-max-bytes="${HTML_MAX_BYTES}" data-max-size="${sizeText(HTML_MAX_BYTES)}">${formField}</form>
<section class="panel uploads" aria-label="Published files" data-uploads hidden><h2>Published files</h2><ul aria-live="polite"></ul></section>`;
}

import type { Caller } from '../../../shared/accounts/account.ts';
import type { Config } from '../../../shared/config/config.ts';
import { DropError } from '../../../shared/domain/errors.ts';
import { dayMs } from '../../../shared/domain/time-windows.ts';
import type { Access } from '../../../shared/drops/access.ts';
import type { NewDropInput } from '../../../shared/drops/drops.ts';
import { sharingOfNew } from '../../../shared/drops/sharing-of-new.ts';
import { firstHeading } from '../../../shared/html/heading.ts';
import { titleOfName } from '../../../shared/html/html-file.ts';
import { HtmlBodyReaders } from '../../drops/html-body.ts';
import { DropBodyReaders } from '../../drops/requests.ts';
import { sizeText } from '../../html/elements.ts';
import { fieldState, formError, throwInWords } from '../../html/forms.ts';
import { type Html, html } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { isOutdated } from '../../http/form-tokens.ts';
import { metadataPrefix } from '../../http/parameters.ts';
import { newDropPath, previewPath } from '../../http/paths.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { invalid, validationError } from '../../http/validate.ts';
import { commenterOptions } from '../comments/comment-labels.ts';
import { accessOptions } from '../drop/access-labels.ts';
import { dashboardPages } from '../pages.ts';
import { documentFields, documentForm, type Sent, sizeLimit, textOf } from './document.ts';
import { previewRoute } from './preview.ts';
import { risksQuestion } from './risks.ts';

/** How long a new drop can be kept, in days; '' for ever. */
const lifetimes = [
  ['', 'Never'],
  ['1', 'In a day'],
  ['7', 'In a week'],
  ['30', 'In 30 days'],
  ['365', 'In a year'],
] as const;

interface NewPage {
  /** Who can read it, unless the form says something else. */
  readonly access: Access;
  /** What was sent. Absent: nothing yet. */
  readonly sent?: Sent;
  readonly formField: Html;
  readonly error?: DropError;
}

/** /drops/new: a person publishes a file or what they paste. */
export function newDropRoutes(parts: RouteParts): readonly Route[] {
  const { drops, titles, clock, config } = parts.services;
  const bodies = new DropBodyReaders(config);
  const htmlBodies = new HtmlBodyReaders(bodies, titles);

  /** What POST /api/drops takes, by the rules of the API. @throws DropError as POST /api/drops */
  async function read(caller: Caller, html: Uint8Array, sent: Sent): Promise<NewDropInput> {
    const text = (name: string) => textOf(sent, name).trim();
    const query: Record<string, string> = Object.create(null);
    query.title = text('title') || (await findTitle(caller, html, sent));
    if (text('description') !== '') query.description = text('description');
    const days = lifetimes.find(([key]) => key === text('expires'))?.[0];
    if (text('comments') !== '') query.comments = text('comments');
    if (text('access') !== '') query.access = text('access');
    if (days) query.expires_at = String(clock.now() + Number(days) * dayMs);
    for (const [key, value] of readTags(text('tags'))) query[metadataPrefix + key] = value;
    const input = await htmlBodies.readCreate(caller, html, query);
    return { ...input, passcode: bodies.readPasscode({ passcode: textOf(sent, 'passcode') }) || null };
  }

  /** As the script suggests it (browser/drops/document.ts). @throws DropError `title_required` */
  async function findTitle(caller: Caller, html: Uint8Array, sent: Sent): Promise<string> {
    const title =
      (await titles.find(caller, html)) ?? firstHeading(html) ?? titleOfName(sent.file?.filename ?? '');
    if (title === '')
      throw new DropError('title_required', 'The document has no title: type one', { field: 'title' });
    return [...title].slice(0, config.TITLE_MAX_CHARACTERS).join('');
  }

  return [
    dashboardPages(parts, 'new').page(newDropPath, async (_req, _res, { caller, formField }) => {
      const { access } = sharingOfNew(caller, {}, config);
      return newPage({ access, formField }, config);
    }),
    previewRoute,
    documentForm(parts, {
      path: newDropPath,
      nav: 'new',
      notice: 'new',
      async read(_, caller, html, sent) {
        const input = await read(caller, html, sent).catch(throwInWords);
        return (ids) => drops.create(caller, input, ids);
      },
      again: (_, { formField }, sent, error) =>
        newPage({ access: config.DEFAULT_ACCESS, sent, formField, error }, config),
    }),
  ];
}

/** One `key=value` on a line. A line without `=` is a tag with an empty value. */
function readTags(text: string): Map<string, string> {
  const tags = new Map<string, string>();
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    const at = line.indexOf('=');
    const [key, value] = at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    if (tags.has(key)) {
      const message = `The tag ${key} is there twice: a tag has one value`;
      throw validationError([{ field: metadataPrefix + key, ...invalid(message) }]);
    }
    tags.set(key, value);
  }
  return tags;
}

/** After an error the text fields are as they were typed. Files are not shown again, and the passcode only if nobody looked at it yet. */
function newPage(
  { access, sent = { fields: new Map() }, formField, error }: NewPage,
  config: Config,
): PageParts {
  const { TITLE_MAX_CHARACTERS, DESCRIPTION_MAX_CHARACTERS, METADATA_MAX_KEYS, HTML_MAX_BYTES } = config;
  const { PASSCODE_MIN_CHARACTERS, PASSCODE_MAX_CHARACTERS } = config;
  const fault = error?.details?.field;
  const [wrong = ''] = typeof fault === 'string' ? fault.split('.') : [];
  const state = (name: string, id: string) => fieldState(wrong === name, `${id}-hint`);
  const title = textOf(sent, 'title').trim();
  const description = textOf(sent, 'description').trim();
  const expires = textOf(sent, 'expires').trim();
  const options = lifetimes.map(
    ([days, text]) => html`<option value="${days}"${days === expires && html` selected`}>${text}</option>`,
  );
  return {
    title: 'New drop',
    styles: ['drops', 'publish'],
    scripts: ['publish'],
    policy: { 'connect-src': "'self'", 'frame-src': config.BASE_URL + previewPath },
    error,
    body: html`<div class="page-head"><div><h1>New drop</h1>
<p class="soft">Publish one self-contained HTML document, up to ${sizeText(HTML_MAX_BYTES)}.</p></div></div>
${dropTarget(formField, config)}
<div class="publish"><form method="post" action="${newDropPath}" enctype="multipart/form-data" data-publish="new"${sizeLimit(config)}>
${formError(error)}
${formField}${documentFields(sent, wrong)}
<div data-details><label for="title">Title</label>
<input id="title" name="title" value="${title}" maxlength="${TITLE_MAX_CHARACTERS}" autocomplete="off"${state('title', 'title')}>
<p class="hint" id="title-hint">If it is empty: the title or first heading of the document, or the name of the file.</p>
<label for="tags">Tags</label>
<textarea id="tags" name="tags" rows="2" spellcheck="false" autocapitalize="none"${state('metadata', 'tags')}>
${textOf(sent, 'tags')}</textarea>
<p class="hint" id="tags-hint">One on a line: a word, or <code>project=demo</code>; at most ${METADATA_MAX_KEYS}. Only you see them.</p>
<div class="fields-row"><div><label for="passcode">Passcode</label>
<input id="passcode" name="passcode" type="password"${error && isOutdated(error) && html` value="${textOf(sent, 'passcode')}"`} minlength="${PASSCODE_MIN_CHARACTERS}" maxlength="${PASSCODE_MAX_CHARACTERS}" autocomplete="new-password"${state('passcode', 'passcode')}>
<p class="hint" id="passcode-hint">At least ${PASSCODE_MIN_CHARACTERS} characters. Viewers must then enter it.</p></div>
<div><label for="expires">Expires</label>
<select id="expires" name="expires"${state('expires_at', 'expires')}>${options}</select>
<p class="hint" id="expires-hint">Then the drop is deleted for good.</p></div></div>
<label for="access">Who can read it</label>
<select id="access" name="access"${state('access', 'access')}>${accessOptions(textOf(sent, 'access') || access)}</select>
<p class="hint" id="access-hint">You name people on the page Share, once it is published.</p>
<label for="comments">Who may comment</label>
<select id="comments" name="comments"${state('comments', 'comments')}>${commenterOptions(textOf(sent, 'comments'))}</select>
<p class="hint" id="comments-hint">What people without an account write is shown after you have approved it.</p>
<label for="description">Description</label>
<input id="description" name="description" value="${description}" maxlength="${DESCRIPTION_MAX_CHARACTERS}" autocomplete="off"${state('description', 'description')}>
<p class="hint" id="description-hint">Viewers see it in link previews.</p>
<div class="actions"><button type="submit">Publish</button><span class="small soft" data-progress role="status"></span></div>
${risksQuestion(error)}</div>
</form>
<section data-preview="${previewPath}" aria-labelledby="preview" hidden><h2 id="preview">Preview</h2></section></div>`,
  };
}

/** Where a script shows that files can be dropped, and what becomes of each. Its form has the form token for the script. */
export function dropTarget(formField: Html, config: Config): Html {
  return html`<div class="dropzone drop-target" data-drop-target hidden><p class="strong">Drop HTML files to publish them</p></div>
<form hidden action="${newDropPath}" data-upload${sizeLimit(config)}>${formField}</form>
<section class="panel uploads" aria-label="Published files" data-uploads hidden><h2>Published files</h2><ul class="rows" aria-live="polite"></ul></section>`;
}

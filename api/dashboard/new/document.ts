import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Caller } from '../../../shared/accounts/account.ts';
import type { Config } from '../../../shared/config/config.ts';
import { DropError } from '../../../shared/domain/errors.ts';
import { randomBase62 } from '../../../shared/domain/ids.ts';
import type { Drop, WriteIds } from '../../../shared/drops/drop.ts';
import { leastBytesOf, readHtmlFile, textDocument } from '../../../shared/html/html-file.ts';
import type { IdempotentRequest } from '../../../shared/idempotency/idempotency.ts';
import { limitTable } from '../../../shared/limits/limit-table.ts';
import { presentDrop } from '../../drops/presenter.ts';
import { sizeText } from '../../html/elements.ts';
import { fieldState } from '../../html/forms.ts';
import { type Html, html } from '../../html/html.ts';
import type { NavItem } from '../../html/layout.ts';
import { isNavigation } from '../../http/answer-error.ts';
import { mediaTypeOf } from '../../http/body.ts';
import { networkKey } from '../../http/client-address.ts';
import { formBody, formNotUtf8 } from '../../http/form.ts';
import { HttpError } from '../../http/http-error.ts';
import { keptFormBytes, tokenField } from '../../http/kept-forms.ts';
import { type FormPart, multipartBody, parseMultipart } from '../../http/multipart.ts';
import { readSlug } from '../../http/parameters.ts';
import { newDropPath, ownerPath } from '../../http/paths.ts';
import { open, type Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { sendJson } from '../../http/send.ts';
import type { BrowserSession } from '../../http/session.ts';
import { type Form, orAgain, show } from '../../http/show.ts';
import { invalid, validationError } from '../../http/validate.ts';
import { headerOf, type SessionPage } from '../pages.ts';
import { askAboutRisks } from './risks.ts';

/** Characters of the random field `key`, which differs in each form. */
const formKeyLength = 22;

/** Longer pasted text is not shown again: megabytes of `<` would take a second to escape. */
const maxShownAgain = 256 * 1024;

/** A form that has a document. */
export interface Sent {
  /** Text; a line break is a line feed. */
  readonly fields: Form;
  readonly file?: FormPart | undefined;
}

/** The largest form that is read without a session: what was typed is kept, if it is not too long (http/kept-forms.ts). */
const readTypedMaxBytes = 256 * 1024;

/** The fields beside the document: a context of 64 KiB, of which each line break is sent as two bytes, and the others. */
const otherFieldsBytes = 136 * 1024;

/** In place of `DocumentForm.notice` if there is a warning, of which the only one is about the title. */
export const titleStaysNotice = 'title_stays';

type Write = (ids: WriteIds | undefined, warn: (warning: string) => void) => Promise<Drop>;

/** What a form with a document does. */
interface DocumentForm {
  readonly path: string;
  readonly nav: NavItem;
  /** In the address of the drop's page, to which the form leads. */
  readonly notice: string;
  /** Reads the other fields. @returns writes the document */
  read(req: Request, caller: Caller, html: Uint8Array, sent: Sent): Promise<Write> | Write;
  /** The form as it was filled in, with the error. */
  again(
    req: Request,
    session: BrowserSession,
    sent: Sent,
    error: DropError,
  ): Promise<SessionPage> | SessionPage;
}

/** The same form sent twice publishes once. A script gets the drop, or the error's envelope. Refuses a document with 413, 415 and `html_too_large`. */
export function documentForm(
  { services: { config, idempotency, checksInTurn }, readBody, readForm, sessions, layout }: RouteParts,
  { path, nav, notice, read, again }: DocumentForm,
): Route {
  // Line breaks of pasted text are sent as CR LF.
  const maxBytes = 2 * config.HTML_MAX_BYTES + otherFieldsBytes;
  const rules = { ...multipartBody, maxBytes, tooLarge: () => tooLarge(config.HTML_MAX_BYTES) };

  /** @param use gets the fields while they are in the memory budget of the client */
  async function readSent<T>(req: Request, client: string, use: (sent: Sent) => Promise<T>): Promise<T> {
    if (formBody.types.test(mediaTypeOf(req))) return use({ fields: await readForm(req, keptFormBytes) });
    return readBody(req, client, rules, async (bytes) =>
      use(toSent(await parseMultipart(req.headers['content-type'] ?? '', bytes))),
    );
  }

  /** Files are not kept. null: text of that length is not kept either, and is not read. */
  async function readTyped(req: Request): Promise<Form | null> {
    if (!(Number(req.headers['content-length']) <= readTypedMaxBytes)) return null;
    return readSent(req, networkKey(req.ip), async ({ fields }) => fields);
  }

  async function save(req: Request, res: Response, { caller }: BrowserSession, sent: Sent) {
    const html = readDocument(sent, config.HTML_MAX_BYTES);
    const write = await read(req, caller, html, sent);
    const context = textOf(sent, 'context');
    const document = { html, context: context === '' ? null : Buffer.from(context) };
    askAboutRisks(await checksInTurn.check(caller.accountId, document), textOf(sent, 'anyway'));
    await caller.confirm(); // the look can wait for a second
    const slug = path === newDropPath ? null : readSlug(req);
    const warnings: string[] = [];
    const writeOnce = (ids?: WriteIds) => write(ids, (warning) => warnings.push(warning));
    const { drop } = await idempotency.once(caller, keyOfForm(req.path, sent), slug, writeOnce);
    const shown = warnings.length === 0 ? notice : titleStaysNotice;
    if (isNavigation(req)) return `${ownerPath(drop.slug)}?notice=${shown}`;
    const more = warnings.length === 0 ? {} : { warnings };
    sendJson(res, { ...presentDrop(drop, config.BASE_URL), ...more }, slug === null ? 201 : 200);
    return null;
  }

  const handler = sessions.sessionBody(
    limitTable.write,
    (req, res, session, admit) =>
      readSent(req, session.caller.accountId, async (form) => {
        const sent = { ...form, fields: await sessions.restore(req, session, form.fields) };
        checkOtherFields(sent);
        const admitAndSave = async () => save(req, res, await admit(textOf(sent, tokenField)), sent);
        const shown = await orAgain(req, admitAndSave, (error) => again(req, session, sent, error));
        const header = await headerOf(session, shown);
        show(res, shown, (page) => layout.dashboard(header, nav, page));
      }),
    { readTyped },
  );
  return open('POST', path, handler);
}

function toSent(parts: ReadonlyMap<string, FormPart>): Sent {
  const texts = [...parts].filter(([name]) => name !== 'file');
  return { fields: new Map(texts.map(([name, part]) => [name, textOfPart(part)])), file: parts.get('file') };
}

const lineFeed = 10;
const carriageReturn = 13;

/** Browsers send a line break as CR LF. By bytes: an expression is slow (docs/performance.md). @throws DropError: no UTF-8 */
function textOfPart({ bytes }: FormPart): string {
  const kept = Buffer.from(bytes);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? lineFeed;
    if (byte !== carriageReturn) kept[length++] = byte;
    else if (bytes[at + 1] !== lineFeed) kept[length++] = lineFeed;
  }
  const text = kept.subarray(0, length);
  if (!isUtf8(text)) throw formNotUtf8();
  return text.toString('utf8');
}

/** What a script checks before it sends a document (browser/shared/html-file.ts). */
export function sizeLimit({ HTML_MAX_BYTES }: Pick<Config, 'HTML_MAX_BYTES'>): Html {
  return html` data-max-bytes="${HTML_MAX_BYTES}" data-max-size="${sizeText(HTML_MAX_BYTES)}"`;
}

/** A file to choose, or text to paste. @param sent before an error @param wrong the field of the error */
export function documentFields(sent: Sent, wrong: unknown): Html {
  const pasted = textOf(sent, 'html');
  const isInvalid = wrong === 'html';
  const as = textOf(sent, 'as');
  const choice = (value: string, text: string) =>
    html`<label class="choice"><input type="radio" name="as" value="${value}"${value === as && html` checked`}><span>${text}</span></label>`;
  return html`<input type="hidden" name="key" value="${textOf(sent, 'key') || randomBase62(formKeyLength)}">
<div class="choose"><label for="file"><span data-without-script>HTML file</span><span class="row between" data-needs-script hidden><strong data-chosen>Drop an HTML file here, or paste it</strong> <span class="button">Choose a file</span></span></label>
<input id="file" name="file" type="file" accept=".html,.htm,text/html,.txt,.md"${fieldState(isInvalid, 'file-hint')}>
<p class="hint" id="file-hint">With its styles, scripts and images inside.</p></div>
<div data-paste><label for="html">Or paste the HTML</label>
<textarea id="html" name="html" rows="8" class="code" spellcheck="false" autocapitalize="none" autocomplete="off"${fieldState(isInvalid, undefined, false)}>
${pasted.length <= maxShownAgain && pasted}</textarea></div>
<fieldset id="as" role="radiogroup" tabindex="-1"${fieldState(wrong === 'as')}${wrong !== 'as' && as === '' && html` hidden`}><legend>Is it meant as plain text?</legend>
${choice('text', 'Yes: show it as it is written')}${choice('html', 'No, it is HTML')}</fieldset>`;
}

/** Megabytes of tags would be read, checked and shown again for seconds. @throws HttpError 413 */
function checkOtherFields({ fields }: Sent): void {
  let size = 0;
  for (const [name, text] of fields) if (name !== 'html') size += Buffer.byteLength(text);
  if (size <= otherFieldsBytes) return;
  const message = `The fields beside the document must have at most ${otherFieldsBytes} bytes together`;
  throw new HttpError(413, 'invalid_arg', message, { field: 'form', max_bytes: otherFieldsBytes });
}

/** The chosen file, byte for byte if it is UTF-8, or else the pasted text. @throws DropError `html_required`, `html_too_large`, `invalid_arg` */
function readDocument(sent: Sent, maxBytes: number): Uint8Array {
  const text = textOf(sent, 'html');
  const pasted = text.trim() === '' ? '' : text;
  const { file } = sent;
  const isChosen = file !== undefined && (file.filename !== '' || file.bytes.length > 0);
  if (isChosen && pasted !== '') {
    const message = 'Choose a file or paste the HTML: only one of them can be published at a time';
    throw validationError([{ field: 'html', ...invalid(message) }]);
  }
  const named = isChosen ? { name: file.filename, type: file.type } : { name: '', type: '' };
  const bytes = isChosen ? file.bytes : Buffer.from(pasted);
  if (bytes.length === 0)
    throw new DropError('html_required', 'Choose an HTML file or paste the HTML', { field: 'html' });
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  const read = readHtmlFile(bytes, named);
  if ('fault' in read) throw validationError([{ field: 'html', ...invalid(read.fault) }]);
  const html = 'html' in read ? read.html : asMeant(read.text, named.name, textOf(sent, 'as'), maxBytes);
  if (html.length > maxBytes) throw tooLarge(maxBytes);
  return html;
}

/** @param as the person's answer @throws DropError `invalid_arg` if there is none, `html_too_large` */
function asMeant(text: string, name: string, as: string, maxBytes: number): Uint8Array {
  if (as === 'html') return Buffer.from(text);
  if (as === 'text' && leastBytesOf(text) > maxBytes) throw tooLarge(maxBytes); // ten megabytes are not made first
  if (as === 'text') return Buffer.from(textDocument(text, name));
  const message = 'This does not look like HTML. Say whether it is meant as plain text';
  throw validationError([{ field: 'as', ...invalid(message) }]);
}

/** The same form with the same content is one write. A person who goes back and chooses another file publishes that too. */
function keyOfForm(path: string, { fields, file }: Sent): IdempotentRequest {
  const texts = [...fields].filter(([name]) => name !== tokenField); // another one after SIGNING_SECRET changed
  const content = JSON.stringify([texts.sort(), file?.filename]);
  const digest = createHash('sha256')
    .update(content)
    .update(file?.bytes ?? '')
    .digest('hex');
  return { key: `${path} ${(fields.get('key') ?? '').slice(0, 64)} ${digest}`, hash: digest };
}

export function textOf({ fields }: Sent, name: string): string {
  return fields.get(name) ?? '';
}

/** The API's own message counts bytes, which few people know of their files. */
function tooLarge(maxBytes: number): DropError {
  const message = `The document is too large: at most ${sizeText(maxBytes)} can be published`;
  return new DropError('html_too_large', message, { field: 'html', max_bytes: maxBytes });
}

import { createHash } from 'node:crypto';
import { DropError } from '../../../shared/domain/errors.ts';
import type { IdempotentRequest } from '../../../shared/services/idempotency.ts';
import { sizeText } from '../../html/quantity.ts';
import { checkUtf8 } from '../../http/body.ts';
import type { FormPart } from '../../http/multipart.ts';
import { invalid, validationError } from '../../http/validate.ts';

/** Of the random field `key`, which each form has for itself. */
export const formKeyLength = 22;

/** The fields of a form that has a document. */
export type FormParts = ReadonlyMap<string, FormPart>;

/**
 * The chosen file byte for byte, or else the pasted text.
 * @throws DropError `html_required`, `html_too_large`, `invalid_arg` (not HTML, not UTF-8)
 */
export function readDocument(parts: FormParts, maxBytes: number): Uint8Array {
  const pasted = textOf(parts, 'html');
  const file = parts.get('file');
  const isChosen = file !== undefined && (file.filename !== '' || file.bytes.length > 0);
  if (isChosen && pasted.trim() !== '') {
    const message = 'Choose a file or paste the HTML: only one of them can be published at a time';
    throw validationError([{ field: 'html', ...invalid(message) }]);
  }
  const html = isChosen ? file.bytes : Buffer.from(pasted.trim() === '' ? '' : pasted);
  if (isChosen && !isHtmlType(file.type)) throw notHtml(file);
  if (html.length === 0)
    throw new DropError('html_required', 'Choose an HTML file or paste the HTML', { field: 'html' });
  if (html.length > maxBytes) throw tooLarge(maxBytes);
  checkUtf8(html);
  return html;
}

/**
 * The same form with the same content is one write, however often it is sent. With another content it is another one: a
 * person who goes back and chooses another file publishes that too.
 * @param path of the form
 */
export function keyOfForm(path: string, parts: FormParts): IdempotentRequest {
  const hash = createHash('sha256');
  for (const [name, { filename, bytes }] of [...parts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (name === 'form_token') continue; // another one after SIGNING_SECRET changed
    hash.update(JSON.stringify([name, filename, bytes.length])).update(bytes);
  }
  const digest = hash.digest('hex');
  return { key: `${path} ${textOf(parts, 'key').slice(0, 64)} ${digest}`, hash: digest };
}

/** The text of a field; browsers send a line break as CR LF. */
export function textOf(parts: FormParts, name: string): string {
  return Buffer.from(parts.get(name)?.bytes ?? [])
    .toString('utf8')
    .replace(/\r\n?/g, '\n');
}

/** Pasted text after an error. Much of it is not shown again: megabytes of `<` would take a second to escape. */
export function shownAgain(pasted: string): string {
  return pasted.length > 256 * 1024 ? '' : pasted;
}

/** Browsers tell the type by the file's extension; some systems know none for `.html`. */
function isHtmlType(type: string): boolean {
  return ['text/html', 'application/octet-stream', ''].includes(type);
}

function notHtml({ filename, type }: FormPart) {
  const message = `${filename} is not an HTML document but ${type}: choose a file whose name ends in .html`;
  return validationError([{ field: 'html', ...invalid(message) }]);
}

/** The API's own message counts bytes, which few people know of their files. */
export function tooLarge(maxBytes: number): DropError {
  const message = `The document is too large: at most ${sizeText(maxBytes)} can be published`;
  return new DropError('html_too_large', message, { field: 'html', max_bytes: maxBytes });
}

import { decodeText, labelBytes, labelsOf, type NoText, relabelled, startOf } from './encoding.ts';

/** What a file, or pasted text, is. The service and the scripts of its pages decide it alike, so this file imports little. */
export type HtmlFile<Bytes extends Uint8Array = Uint8Array> =
  /** UTF-8: the bytes as they are; with `from` what they were converted to, from that encoding. */
  | { readonly html: Bytes | Uint8Array<ArrayBuffer>; readonly from?: string }
  /** It has no tag, or is named like something else: a person must say whether it is meant as plain text. */
  | { readonly text: string; readonly from?: string }
  /** Why it cannot be published, and what to do, for a person; `encoding`: because it is not in the one that it names. */
  | { readonly fault: string; readonly encoding?: NoText };

export interface FileName {
  /** '' for pasted text. */
  readonly name: string;
  /** The media type. Browsers tell it by the extension; some systems know none for `.html`. */
  readonly type: string;
}

/** Linear in the size. @param bytes not empty */
export function readHtmlFile<Bytes extends Uint8Array>(
  bytes: Bytes,
  { name, type }: FileName,
): HtmlFile<Bytes> {
  const start = startOf(bytes);
  const read = decodeText(
    bytes,
    labelsOf(start).map(({ label }) => label),
  );
  const kind = faultOfKind(start, name);
  if (kind !== undefined) return { fault: `${kind}, and choose that file.` };
  if (!('text' in read)) {
    const isBinary = bytes.includes(0) && !read.encoding.startsWith('utf-16');
    if (isBinary) return { fault: `${noText}, and choose that file.` };
    return { fault: `${notUtf8}, and choose that file.`, encoding: read };
  }
  const { text, encoding } = read;
  const from = encoding === 'utf-8' ? {} : { from: encoding };
  if (!tag.test(text) || isNamedOtherwise(name, type)) return { text: text.replace('\ufeff', ''), ...from };
  const html = encoding === 'utf-8' ? bytes : new TextEncoder().encode(relabelled(text, encoding));
  return { html, ...from };
}

/** Of a document without a name. @param text in any encoding that has ASCII */
export function looksLikeHtml(text: string): boolean {
  return tag.test(text) && faultOfKind(text.slice(0, labelBytes), '') === undefined;
}

/** Of a title the service reads no more (page-checks/page-title.ts). */
const maxTitleUnits = 4_000;

/** Shows the text as it is. Linear in the size. Its title is a Markdown heading at the start, the file's name, or the first line. */
export function textDocument(text: string, name: string): string {
  const [first = ''] = text.trimStart().split('\n', 1);
  const [, heading] = /^#{1,6}\s+(.*)/.exec(first) ?? [];
  const title = (heading ?? (titleOfName(name) || first)).slice(0, maxTitleUnits);
  return `<!doctype html>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeText(title)}</title>
<style>pre { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; white-space: pre-wrap; overflow-wrap: anywhere; font: 0.9375rem/1.6 ui-monospace, Menlo, Consolas, monospace }</style>
<pre>
${escapeText(text)}</pre>
`;
}

/** The file's name without its extension. */
export function titleOfName(name: string): string {
  return name.replace(/\.[^.]*$/, '').trim();
}

/** By UTF-8 byte; undefined: the byte stays. */
const entities = new Array<Uint8Array | undefined>(256).fill(undefined);
for (const [character, entity] of Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;' }))
  entities[character.charCodeAt(0)] = new TextEncoder().encode(entity);

const tag = /<(?:!doctype|!--|[a-z][a-z0-9-]*[\s/>])/i;
const htmlTypes = ['text/html', 'application/xhtml+xml', 'application/octet-stream', ''];

/** A Markdown file or an SVG picture has tags, too. */
function isNamedOtherwise(name: string, type: string): boolean {
  if (/\.x?html?$/i.test(name)) return false;
  return !htmlTypes.includes(type) || /\.(md|markdown|txt)$/i.test(name);
}

const notUtf8 = 'The encoding of this file is unknown. Save the file as UTF-8';
const noText = 'This is no HTML document. Look for a file whose name ends in .html';

/** Files that people take for pages, by their first bytes (as Latin-1), and Office's by their name, too. */
const kinds: readonly (readonly [start: RegExp, fault: string])[] = [
  [/^%PDF-/, 'This is a PDF. Export it as HTML'],
  [
    /^(\xd0\xcf.\xe0|\{\\rtf|PK.*\.(docx|xlsx|pptx|od[tsp]|pages|numbers|key)$)/is,
    'This is an Office document. Save it as a web page (.html)',
  ],
  [/^PK[^\s -~]/, 'This is a ZIP archive. Unpack it, and put styles and pictures into the HTML file'],
  [/^(\x89PNG|\xff\xd8\xff|GIF8|RIFF)/, 'This is a picture. Put it into an HTML document'],
  [
    /^(bplist00|From: <Saved by|MIME-Version:)/,
    'This is a web archive. Save the page from the browser as “HTML only” or “Page source”',
  ],
];

function faultOfKind(start: string, name: string): string | undefined {
  return kinds.find(([pattern]) => pattern.test(`${start}\n${name}`))?.[1];
}

/** At least so many bytes has the document that `textDocument` makes of it. */
export function leastBytesOf(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) bytes += entities[text.charCodeAt(at)]?.length ?? 1;
  return bytes;
}

/** By bytes: `replaceAll` is slow for a text of `<` (docs/performance.md). */
function escapeText(text: string): string {
  if (!/[&<>]/.test(text)) return text;
  const bytes = new TextEncoder().encode(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) length += entityOf(bytes, at)?.length ?? 1;
  const escaped = new Uint8Array(length);
  let end = 0;
  for (let at = 0; at < bytes.length; at++) {
    const entity = entityOf(bytes, at);
    if (entity === undefined) escaped[end++] = bytes[at] ?? 0;
    else for (let n = 0; n < entity.length; n++) escaped[end++] = entity[n] ?? 0;
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(escaped);
}

function entityOf(bytes: Uint8Array, at: number): Uint8Array | undefined {
  return entities[bytes[at] ?? 0];
}

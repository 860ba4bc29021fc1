/** In what encoding a text is (HTML standard, 13.2.3.2). The scripts of our pages use it, too, so this file imports nothing. */

/** A text that was read, with its byte order mark. */
export interface DecodedText {
  readonly text: string;
  /** As the encoding standard names it, in lower case. */
  readonly encoding: string;
}

/** Bytes that are no text in the encoding that they should be in. */
export interface NoText {
  /** What was looked for: an encoding, or a label that nobody knows. */
  readonly encoding: string;
  /** Whether there is such an encoding. */
  readonly isKnown: boolean;
  /** Of the first byte that does not fit; null: the encoding is not known. */
  readonly offset: number | null;
}

/** How a document, a style sheet or a script says what its encoding is. */
export interface Label {
  readonly label: string;
  /** Where it stands. */
  readonly at: number;
}

/** In so many bytes a browser looks for labels. */
export const labelBytes = 1024;

/** The first bytes, one character each. */
export function startOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, labelBytes));
}

/**
 * Bytes that are UTF-8 are read as that, whatever they name: few others are by chance, and none that people write.
 * @param labels names of encodings, the most trusted one first
 */
export function decodeText(bytes: Uint8Array, labels: readonly string[]): DecodedText | NoText {
  const start = startOf(bytes.subarray(0, 3));
  const utf16 = utf16Of(start);
  if (utf16 !== null) return decodeAs(bytes, utf16);
  if (start === '\xef\xbb\xbf') return decodeAs(bytes, 'utf-8');
  const known = labels.map(encodingOf).find((encoding) => encoding !== null);
  // All its bytes are ASCII.
  if (known === 'iso-2022-jp' && bytes.includes(0x1b)) return decodeAs(bytes, known);
  const utf8 = decodeAs(bytes, 'utf-8');
  if ('text' in utf8 || known === 'utf-8') return utf8;
  if (known !== undefined) return decodeAs(bytes, known);
  const [unknown] = labels;
  return unknown === undefined ? utf8 : { encoding: unknown, isKnown: false, offset: null };
}

/** By the byte order mark, or the `<` of a document without one. @param start one character for a byte */
function utf16Of(start: string): string | null {
  if (start.startsWith('\xff\xfe') || start.startsWith('<\0')) return 'utf-16le';
  return start.startsWith('\xfe\xff') || start.startsWith('\0<') ? 'utf-16be' : null;
}

/** null: there is none of this name, or this program lacks it. */
function nameOf(label: string): string | null {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

/** Of a label that was read as ASCII: a text in UTF-16 has none. */
function encodingOf(label: string): string | null {
  const name = nameOf(label);
  return name?.startsWith('utf-16') ? 'utf-8' : name;
}

function decodeAs(bytes: Uint8Array, encoding: string): DecodedText | NoText {
  if (encoding === 'windows-1252') return { text: decodeWindows1252(bytes), encoding };
  try {
    return { text: new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes), encoding };
  } catch {
    return { encoding, isKnown: true, offset: firstFault(bytes, encoding) };
  }
}

/** Some versions of Node decode windows-1252 as ISO-8859-1, which has controls in these places (nodejs/node#56542). */
function decodeWindows1252(bytes: Uint8Array): string {
  const places = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
  const units = new Uint16Array(bytes); // `from` with a function is slow (docs/performance.md)
  bytes.forEach((byte, n) => {
    if (byte >> 5 === 4) units[n] = places.charCodeAt(byte - 0x80);
  });
  return new TextDecoder('utf-16le').decode(units);
}

/** The offset of the first byte that no text in this encoding has there. The start before it is one. */
function firstFault(bytes: Uint8Array, encoding: string): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isText(bytes.subarray(0, middle), encoding, true)) good = middle;
    else bad = middle;
  }
  // A character that was begun is at fault, not the byte that does not continue it.
  for (let n = 0; n < maxCharacter && !isText(bytes.subarray(0, good), encoding, false); n++) good--;
  return good;
}

/** Bytes of a character, at most. */
const maxCharacter = 4;

/** @param isStart whether a character may be cut at its end */
function isText(bytes: Uint8Array, encoding: string, isStart: boolean): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: isStart });
    return true;
  } catch {
    return false;
  }
}

const attributes = /([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;
const inContent = /\bcharset\s*=\s*(?:["']\s*)?([\w:.-]+)/i;
const inProlog = /^(\ufeff?<\?xml\s[^>]{0,200}?\bencoding\s{0,20}=\s{0,20}["'])([\w:.-]{1,60})/;

/** The labels of a document, in the order in which they count. @param start of it, one character a byte or decoded */
export function labelsOf(start: string): Label[] {
  const found: Label[] = [];
  for (let at = start.indexOf('<'); at !== -1; at = start.indexOf('<', at + 1)) {
    if (start.startsWith('<!--', at)) {
      const end = start.indexOf('-->', at + 2);
      if (end === -1) break;
      at = end;
    } else if (/^<meta[\s/]/i.test(start.slice(at, at + 6))) {
      const label = labelOfMeta(start.slice(at + 5).split('>', 1)[0] ?? '', at + 5);
      if (label !== null) found.push(label);
    }
  }
  const [, before = '', label] = inProlog.exec(start) ?? [];
  if (label !== undefined) found.push({ label, at: before.length });
  return found;
}

/** @param text of a meta element, behind its name @param start where that is */
function labelOfMeta(text: string, start: number): Label | null {
  const values = new Map<string, { readonly value: string; readonly at: number }>();
  for (const { 0: whole, 1: name = '', index, ...found } of text.matchAll(attributes)) {
    const value = found[2] ?? found[3] ?? found[4] ?? '';
    const key = name.toLowerCase();
    if (!values.has(key)) values.set(key, { value, at: start + index + whole.lastIndexOf(value) });
  }
  const charset = values.get('charset');
  if (charset !== undefined) return { label: charset.value, at: charset.at };
  const content = values.get('content');
  const found = values.has('http-equiv') ? inContent.exec(content?.value ?? '') : null;
  if (content === undefined || found === null) return null;
  const [whole, label = ''] = found;
  return { label, at: content.at + found.index + whole.length - label.length };
}

/** The text with labels that say UTF-8; one that has none gets a byte order mark if it was UTF-16. @param encoding that it had */
export function relabelled(text: string, encoding: string): string {
  let written = text;
  const labels = labelsOf(text.slice(0, labelBytes)).sort((a, b) => b.at - a.at);
  for (const { label, at } of labels)
    if (nameOf(label) !== 'utf-8')
      written = `${written.slice(0, at)}utf-8${written.slice(at + label.length)}`;
  if (labels.length > 0 || !encoding.startsWith('utf-16')) return written;
  return written.startsWith('\ufeff') ? written : `\ufeff${written}`;
}

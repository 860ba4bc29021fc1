import { type Attributes, isWatchedBefore, readAttributes, readTag, type Tag } from './attributes.ts';
import { isLetter, isSpace } from './characters.ts';
import { type Effort, spend } from './effort.ts';

/** A start tag of a document, as far as the checks before publishing need it. */
export interface Element {
  /** Lower case. */
  readonly name: string;
  readonly attributes: Attributes['byName'];
  readonly handlers: Attributes['handlers'];
  /** What a script, style, title or textarea contains; null for every other element. */
  readonly text: string | null;
  /** Offset of its `<`. */
  readonly offset: number;
  /** Offset of its text, or behind the tag. */
  readonly textOffset: number;
  readonly isInSvg: boolean;
}

const textElements = new Set(['script', 'style', 'title', 'textarea']);
const textElement = /<(?:script|style|title|textarea)/gi;
/** After so many tags without a find it looks whether the rest of the document may have one. */
const maxDull = 50;

const exclamation = 33;
const slash = 47;
const greaterThan = 62;
const question = 63;

/**
 * The start tags in order, outside of comments, that have a text or attributes for the checks. A scan, not a parser: enough for
 * warnings, and linear in any text. No generator, which takes longer.
 * @param effort is spent; below 0 the scan ended before the document
 */
export function scanElements(html: string, effort: Effort, take: (element: Element) => void): void {
  const hasMore = createLookAhead(html);
  const svg = { depth: 0 };
  let dull = 0;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    if (++dull > maxDull && !hasMore(at)) return;
    if (!isLetter(html.charCodeAt(at + 1))) {
      at = afterOther(html, at + 1, svg);
      continue;
    }
    const place = { offset: at, nameEnd: endOfName(html, at + 1) };
    if (place.nameEnd === html.length) return;
    const hasText = isTextElement(html, at + 1, place.nameEnd);
    if (html.charCodeAt(place.nameEnd) === greaterThan && !hasText && !isSvg(html, at + 1)) {
      at = place.nameEnd + 1;
      continue;
    }
    const tag = readTag(html, place.nameEnd);
    if (!tag.isClosed && isSvg(html, at + 1)) svg.depth++;
    at = tag.end;
    if (!tag.isWatched && !hasText) continue;
    if (!spend(effort, 4)) return;
    dull = 0;
    const element = readElement(html, place, tag, { hasText, isInSvg: svg.depth > 0 }, effort);
    take(element);
    at += element.text?.length ?? 0;
  }
}

function readElement(
  html: string,
  { offset, nameEnd }: { readonly offset: number; readonly nameEnd: number },
  tag: Tag,
  { hasText, isInSvg }: { readonly hasText: boolean; readonly isInSvg: boolean },
  effort: Effort,
): Element {
  const name = html.slice(offset + 1, nameEnd).toLowerCase();
  const { byName: attributes, handlers } = readAttributes(html, nameEnd, tag, effort);
  const text = hasText && !(isInSvg && tag.isClosed) ? readText(html, tag.end, name) : null;
  return { name, attributes, handlers, text, offset, textOffset: tag.end, isInSvg };
}

/** @returns whether anything for the checks may follow a place outside of tags. All calls together read the document once */
function createLookAhead(html: string): (at: number) => boolean {
  let known = -1;
  let sign = html.indexOf('=');
  return (at) => {
    if (known >= at) return true;
    while (sign !== -1 && (sign < at || !isWatchedBefore(html, at, sign)))
      sign = html.indexOf('=', Math.max(sign + 1, at));
    textElement.lastIndex = at;
    known = sign === -1 ? (textElement.exec(html)?.index ?? -1) : sign;
    return known !== -1;
  };
}

/** Behind what begins with `<` and no letter: a comment, a declaration, an end tag, or a text. */
function afterOther(html: string, from: number, svg: { depth: number }): number {
  if (html.startsWith('!--', from)) return after(html, '-->', from + 3);
  const first = html.charCodeAt(from);
  if (first === exclamation || first === question) return after(html, '>', from + 1);
  if (first !== slash || !isSvg(html, from + 1)) return from;
  svg.depth = Math.max(0, svg.depth - 1);
  return readTag(html, from + 4).end;
}

function after(html: string, closing: string, from: number): number {
  const at = html.indexOf(closing, from);
  return at === -1 ? html.length : at + closing.length;
}

function endOfName(html: string, from: number): number {
  for (let at = from; at < html.length; at++) if (endsName(html.charCodeAt(at))) return at;
  return html.length;
}

function endsName(code: number): boolean {
  if (code > greaterThan) return code > 127 && isSpace(code); // letters, which are most
  return code === greaterThan || code === slash || isSpace(code);
}

function isSvg(html: string, from: number): boolean {
  return endsName(html.charCodeAt(from + 3)) && html.slice(from, from + 3).toLowerCase() === 'svg';
}

function isTextElement(html: string, from: number, end: number): boolean {
  const length = end - from;
  const isPossible = length === 5 || length === 6 || length === 8;
  return isPossible && textElements.has(html.slice(from, end).toLowerCase());
}

/** Up to its end tag, or the end of the document. */
function readText(html: string, from: number, name: string): string {
  for (let at = html.indexOf('</', from); at !== -1; at = html.indexOf('</', at + 2)) {
    const end = at + 2 + name.length;
    if (endsName(html.charCodeAt(end)) && html.slice(at + 2, end).toLowerCase() === name)
      return html.slice(from, at);
  }
  return html.slice(from);
}

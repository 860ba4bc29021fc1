import { isSpace } from './characters.ts';
import { type Effort, spend } from './effort.ts';

/** The attributes that are a reason to read a tag, beside the handlers of events, whose names begin with `on`. */
const watched = new Set(['src', 'srcset', 'href', 'xlink:href', 'poster', 'data', 'style']);
/** What else is read of such a tag, and of each script. */
const read = new Set([...watched, 'rel', 'type', 'integrity']);
/** By the place of a letter in the alphabet: 1 if a watched name begins with it. */
const firstLetters = new Uint8Array(32);
for (const name of [...watched, 'on']) firstLetters[name.charCodeAt(0) & 31] = 1;

const hash = 35;
const slash = 47;
const lessThan = 60;
const equals = 61;
const greaterThan = 62;
const doubleQuote = 34;
const singleQuote = 39;

export interface Tag {
  /** The offset behind its `>`; the length of the document if it is never closed. */
  readonly end: number;
  /** The offset of its `>`, or of the end of the document. */
  readonly contentEnd: number;
  /** Whether it ends with `/>`. */
  readonly isClosed: boolean;
  /** Whether it may have an attribute for the checks. */
  readonly isWatched: boolean;
}

/** @param from behind the name */
export function readTag(html: string, from: number): Tag {
  let isWatched = false;
  for (let at = from; at < html.length; at++) {
    const code = html.charCodeAt(at);
    if (code === greaterThan)
      return { end: at + 1, contentEnd: at, isClosed: isSlash(html, from, at), isWatched };
    if (code !== equals) continue;
    isWatched ||= isWatchedBefore(html, from, at);
    const value = skipSpace(html, at + 1);
    const closing = closingQuote(html, value);
    at = closing === -1 ? value - 1 : closing;
  }
  const end = html.length;
  return { end, contentEnd: end, isClosed: isSlash(html, from, end), isWatched };
}

/** Whether a slash stands before `end`. */
function isSlash(html: string, from: number, end: number): boolean {
  return end > from && html.charCodeAt(end - 1) === slash;
}

/**
 * Whether the name before an equals sign may be one for the checks. A link inside of the page is none. No name is one, because
 * the sign then belongs to the next name. @param from reads nothing before it
 */
export function isWatchedBefore(html: string, from: number, sign: number): boolean {
  let end = sign;
  while (end > from && isSpace(html.charCodeAt(end - 1))) end--;
  let start = end;
  while (start > from && !endsName(html.charCodeAt(start - 1))) start--;
  if (start === end) return true;
  if (firstLetters[html.charCodeAt(start) & 31] !== 1) return false;
  const name = html.slice(start, Math.min(end, start + 11)).toLowerCase();
  if (name === 'href' || name === 'xlink:href') return !isFragment(html, sign + 1);
  return watched.has(name) || name.startsWith('on');
}

function isFragment(html: string, value: number): boolean {
  const first = html.charCodeAt(value);
  return (
    first === hash ||
    ((first === doubleQuote || first === singleQuote) && html.charCodeAt(value + 1) === hash)
  );
}

/** Whether a name begins behind this character. A quote ends the value before. */
function endsName(code: number): boolean {
  if (code > greaterThan) return code > 127 && isSpace(code); // letters, which are most
  if (code === doubleQuote || code === singleQuote || code === slash) return true;
  return code >= lessThan || isSpace(code);
}

export interface Attributes {
  /** Those that the checks look at, by lower-case name, as written (entities are not decoded). The first of a repeated name counts. */
  readonly byName: ReadonlyMap<string, string>;
  /** The values of handlers of events. */
  readonly handlers: readonly string[];
}

/** @param from behind the name of the element */
export function readAttributes(
  html: string,
  from: number,
  { contentEnd: end }: Tag,
  effort: Effort,
): Attributes {
  const byName = new Map<string, string>();
  const handlers: string[] = [];
  let at = from;
  while (spend(effort, 1)) {
    while (at < end && (html.charCodeAt(at) === slash || isSpace(html.charCodeAt(at)))) at++;
    if (at >= end || html.charCodeAt(at) === greaterThan) break;
    const name = { from: at, end: endOfName(html, at + 1, end) };
    const value = valueBehind(html, name.end, end);
    at = value.next;
    const key = html.slice(name.from, name.end).toLowerCase();
    if (key.startsWith('on') && spend(effort, 2)) handlers.push(html.slice(value.from, value.end));
    else if (read.has(key) && !byName.has(key)) byName.set(key, html.slice(value.from, value.end));
  }
  return { byName, handlers };
}

function endOfName(html: string, from: number, limit: number): number {
  for (let at = from; at < limit; at++) {
    const code = html.charCodeAt(at);
    if (code === slash || code === equals || code === greaterThan || isSpace(code)) return at;
  }
  return limit;
}

/** @param from behind the name of an attribute @returns where its value is, which is empty if there is none, and where the next name is sought */
function valueBehind(html: string, from: number, limit: number) {
  const sign = skipSpace(html, from);
  if (sign >= limit || html.charCodeAt(sign) !== equals) return { from, end: from, next: from };
  const value = Math.min(skipSpace(html, sign + 1), limit);
  const closing = closingQuote(html, value);
  if (closing !== -1 && closing < limit) return { from: value + 1, end: closing, next: closing + 1 };
  let end = value;
  while (end < limit && html.charCodeAt(end) !== greaterThan && !isSpace(html.charCodeAt(end))) end++;
  return { from: value, end, next: end };
}

/** The offset of the quote that closes the one at `at`; -1: no quote is there, or it is never closed. */
function closingQuote(html: string, at: number): number {
  const code = html.charCodeAt(at);
  if (code === doubleQuote) return html.indexOf('"', at + 1);
  return code === singleQuote ? html.indexOf("'", at + 1) : -1;
}

function skipSpace(html: string, from: number): number {
  let at = from;
  while (isSpace(html.charCodeAt(at))) at++;
  return at;
}

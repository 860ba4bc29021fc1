import { type Effort, spend } from './effort.ts';
import { credentialCharacters, type SecretFormat, secretFormats, shortestStart } from './secret-formats.ts';

/** A place that looks like a credential. */
export interface Found {
  readonly kind: string;
  readonly at: number;
  readonly end: number;
  /** What may be shown of it. */
  readonly start: string;
}

export const maxFindings = 10;
/** A random token of 20 characters has at least this many different ones; `xxxx…` and `1234…` placeholders do not. */
const minVariety = 9;

const word = 1;
const separator = 2;
/** By UTF-16 unit: of a word, between words of a credential, or 0: of no credential. */
const classes = new Uint8Array(0x10000);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  if (credentialCharacters.test(character))
    classes[code] = /[0-9A-Za-z_-]/.test(character) ? word : separator;
}

interface Start {
  readonly start: string;
  readonly format: SecretFormat;
  readonly expression: RegExp;
}

/** By the first two characters of what they begin with. */
const startsByKey = groupStarts();

function groupStarts(): readonly (readonly Start[])[] {
  const groups = Array.from({ length: 128 * 128 }, (): Start[] => []);
  for (const format of secretFormats)
    for (const start of format.starts.split(' ')) {
      const expression = new RegExp(start.replaceAll('.', '\\.') + format.rest, 'y');
      groups[keyAt(start, 0)]?.push({ start, format, expression });
    }
  return groups;
}

/** Of two characters of ASCII. Others have keys without a start, or that of a start whose text is compared. */
function keyAt(text: string, at: number): number {
  return text.charCodeAt(at) * 128 + text.charCodeAt(at + 1);
}

interface Search {
  readonly text: string;
  /** Unix ms */
  readonly now: number;
  readonly effort: Effort;
  readonly found: Found[];
  /** The end of the last match: nothing before it begins another one. */
  free: number;
}

/**
 * Credentials that begin a word, in order. Only runs of 15 and more of their characters are looked at. Every 15th character
 * tells whether one may be there, so most of a page is never read.
 */
export function findKnown(text: string, now: number, effort: Effort): Found[] {
  const search: Search = { text, now, effort, found: [], free: 0 };
  let start = 0;
  while (start + shortestStart <= text.length) {
    let before = start + shortestStart - 1;
    while (before >= start && classes[text.charCodeAt(before)] !== 0) before--;
    if (before >= start) {
      start = before + 1;
      continue;
    }
    const end = lookInRun(search, start);
    if (search.found.length >= maxFindings || effort.left < 0) break;
    start = end + 1;
  }
  return search.found;
}

/** Looks at each start of a word. One is also behind the code of a character: `\n`, `%20`. @returns the end of the run */
function lookInRun(search: Search, start: number): number {
  const { text } = search;
  const before = text[start - 1];
  lookAt(search, start);
  if (before === '\\' && /[nrt]/.test(text.charAt(start))) lookAt(search, start + 1);
  if (before === '%' && /^[0-9A-F]{2}/.test(text.slice(start, start + 2))) lookAt(search, start + 2);
  let at = start;
  for (; at < text.length; at++) {
    const kind = classes[text.charCodeAt(at)];
    if (kind === 0) break;
    if (kind === separator) lookAt(search, at + 1);
  }
  return at;
}

function lookAt(search: Search, at: number): void {
  const { text, found } = search;
  const starts = startsByKey[keyAt(text, at)];
  if (starts === undefined || starts.length === 0 || at < search.free) return;
  if (found.length >= maxFindings || search.effort.left < 0) return;
  for (const { start, format, expression } of starts) {
    if (!text.startsWith(start, at)) continue;
    if (!spend(search.effort, 1)) return;
    expression.lastIndex = at;
    const match = expression.exec(text)?.[0];
    if (match === undefined) continue;
    search.free = at + match.length;
    if (isSecret(format, match, search))
      found.push({ kind: format.kind, at, end: search.free, start: shown(match) });
    return;
  }
}

function isSecret(format: SecretFormat, match: string, { now, effort }: Search): boolean {
  if (!spend(effort, 3) || !isRandom(match)) return false;
  if (format.isSecret === undefined) return true;
  return spend(effort, 50 + match.length / 20) && format.isSecret(match, now);
}

/** The fixed text of its format and little more: never enough to use it. */
function shown(match: string): string {
  return `${match.slice(0, 8)}…`;
}

/** By its last 30 characters. */
export function isRandom(match: string): boolean {
  let seen = '';
  for (let at = Math.max(0, match.length - 30); at < match.length && seen.length < minVariety; at++) {
    const character = match.charAt(at);
    if (!seen.includes(character)) seen += character;
  }
  return seen.length >= minVariety;
}

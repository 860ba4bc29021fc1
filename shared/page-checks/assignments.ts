import { isSpace } from './characters.ts';
import { type Effort, spend } from './effort.ts';
import { type Found, maxFindings } from './known-secrets.ts';

const names =
  'passw(?:or)?d|passphrase|(?:secret|private)(?:[_-]?(?:access[_-]?)?key)?|(?:api|access|auth)[_-]?(?:key|token)';
const nameBefore = new RegExp(`(?<=(${names}))`, 'iy');
/** The names end in these letters. */
const endings = new Set(['wd', 'rd', 'se', 'et', 'te', 'ey', 'en'].map((letters) => endingAt(letters, 2)));

/** `password = "…"`, also in JSON, in JSON inside a string, and as shown in HTML. */
const assignment = new RegExp(
  `(?:${names})(?:\\\\?["']|&quot;)?\\s{0,5}(?::|=>?)\\s{0,5}\\\\?(["'\`]|&quot;)([^"'\`\\s\\\\<>]{8,100}?)\\\\?\\1`,
  'iy',
);
const maxSpaces = 5;

const doubleQuote = 34;
const ampersand = 38;
const singleQuote = 39;
const semicolon = 59;
const greaterThan = 62;
const backslash = 92;
const backtick = 96;

const noValue =
  /pass|pwd|secret|token|key|example|change|your|test|demo|dummy|sample|x{3}|\*{3}|\.{3}|…|1234|abc|\$[{(]|\{\{|^[#.$%@/[{]|:\/\/|\.[a-z]{2,4}(?:[?#]|$)|^(?:eyJ|pk[._-])/i;

/**
 * Values of passwords and keys, in order. It goes from operator to operator, and reads names only where a quoted text follows.
 * @param known what is not found again
 */
export function findAssignments(text: string, known: readonly Found[], effort: Effort): Found[] {
  const all: Found[] = [];
  let free = 0;
  let equals = next(text, '=', 0);
  let colon = next(text, ':', 0);
  while (all.length < maxFindings && spend(effort, 0.3)) {
    const operator = Math.min(equals, colon);
    if (operator === text.length) break;
    if (operator === equals) equals = next(text, '=', operator + 1);
    else colon = next(text, ':', operator + 1);
    if (!isQuoteBehind(text, operator)) continue;
    const nameEnd = endOfName(text, operator);
    if (!endings.has(endingAt(text, nameEnd)) || !spend(effort, 1)) continue;
    nameBefore.lastIndex = nameEnd;
    const name = nameBefore.exec(text)?.[1];
    if (name === undefined || !spend(effort, 10)) continue;
    const at = nameEnd - name.length;
    if (at < free) continue;
    assignment.lastIndex = at;
    const [whole = '', , value = ''] = assignment.exec(text) ?? [];
    if (whole === '') continue;
    const end = at + whole.length;
    free = end;
    if (!isSecret(whole, value) || known.some((one) => one.at < end && at < one.end)) continue;
    all.push({ kind: 'password or key', at, end, start: `${whole.split(/[^\w-]/, 1)[0]}…` });
  }
  return all;
}

/** The offset of the character; the length of the text if there is none. */
function next(text: string, character: string, from: number): number {
  const at = text.indexOf(character, from);
  return at === -1 ? text.length : at;
}

/** With at most five spaces before it, and a backslash. */
function isQuoteBehind(text: string, operator: number): boolean {
  let at = operator + 1;
  if (text.charCodeAt(at) === greaterThan) at++;
  for (let spaces = 0; spaces < maxSpaces && isSpace(text.charCodeAt(at)); spaces++) at++;
  if (text.charCodeAt(at) === backslash) at++;
  const code = text.charCodeAt(at);
  return code === doubleQuote || code === singleQuote || code === backtick || code === ampersand;
}

/** Without the spaces and the quote between name and operator. */
function endOfName(text: string, operator: number): number {
  let end = operator;
  for (let spaces = 0; spaces < maxSpaces && isSpace(text.charCodeAt(end - 1)); spaces++) end--;
  const last = text.charCodeAt(end - 1);
  if (last === semicolon && text.startsWith('&quot;', end - 6)) return end - 6;
  if (last !== doubleQuote && last !== singleQuote) return end;
  return text.charCodeAt(end - 2) === backslash ? end - 2 : end - 1;
}

/** Two letters, in any case, as a number: their places in the alphabet. NaN becomes 0. */
function endingAt(text: string, end: number): number {
  return (text.charCodeAt(end - 2) & 31) * 32 + (text.charCodeAt(end - 1) & 31);
}

function isSecret(whole: string, value: string): boolean {
  const needed = /^pass/i.test(whole) ? 8 : 16;
  return value.length >= needed && !noValue.test(value) && isMixed(value);
}

/** Letters and digits, of which few repeat: no word of a language, and no name in a program. */
function isMixed(value: string): boolean {
  return /\d/.test(value) && /[a-z]/i.test(value) && new Set(value).size >= 6;
}

import { findAssignments } from './assignments.ts';
import { createEffort, type Effort, spend } from './effort.ts';
import { type Found, findKnown, isRandom, maxFindings } from './known-secrets.ts';
import { createPositions, type Position } from './lines.ts';

/** Text that looks like a credential. */
export interface Finding extends Position {
  readonly kind: string;
  /** What may be shown of it. */
  readonly start: string;
}

/** The first ten. @param now Unix ms: a signed token that has expired is no secret @param effort is spent; below 0 the text was not searched whole */
export function findSecrets(text: string, now: number, effort: Effort = createEffort()): Finding[] {
  const found = [
    ...findKnown(text, now, effort),
    ...findKeys(text, effort),
    ...findTelegram(text, effort),
    ...findAddresses(text, effort),
  ];
  found.push(...findAssignments(text, found, effort));
  const first = found.sort((a, b) => a.at - b.at).slice(0, maxFindings);
  const positionOf = createPositions(text);
  return first.map(({ kind, at, start }) => ({ kind, ...positionOf(at), start }));
}

const keyHeader = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----/y;
const keyWords = 'PRIVATE KEY';
/** From `-----BEGIN` to these words. */
const beforeKeyWords = 41;
const maxToKey = 200;
const shortestKey = 40;

/** A header without a key behind it is documentation. In JSON the lines are separated by `\n`, written as two characters. */
function findKeys(text: string, effort: Effort): Found[] {
  const all: Found[] = [];
  let free = 0;
  for (let words = text.indexOf(keyWords); words !== -1; words = text.indexOf(keyWords, words + 1)) {
    const from = Math.max(free, words - beforeKeyWords);
    const begins = text.slice(from, words).lastIndexOf('-----BEGIN ');
    if (begins === -1) continue;
    const at = from + begins;
    keyHeader.lastIndex = at;
    const header = keyHeader.exec(text)?.[0];
    if (!spend(effort, 10)) break;
    if (header === undefined) continue;
    const end = endOfKey(text, at + header.length);
    if (end === null) continue;
    free = end;
    if (isRandom(text.slice(at, end))) all.push({ kind: 'private key', at, end, start: header });
    if (all.length === maxFindings) break;
  }
  return all;
}

/** The end of the first 40 characters of base64, which begin at most 200 characters behind the header; null: there are none. */
function endOfKey(text: string, from: number): number | null {
  const window = text.slice(from, from + maxToKey + shortestKey);
  const next = window.indexOf('-----');
  const latest = Math.min(maxToKey, next === -1 ? maxToKey : next) + shortestKey;
  let length = 0;
  for (let at = 0; at < latest && at < window.length; at++) {
    length = isBase64(window.charCodeAt(at)) ? length + 1 : 0;
    if (length === shortestKey) return from + at + 1;
  }
  return null;
}

function isBase64(code: number): boolean {
  const letter = code | 0x20;
  // `+` is 43; `/` and the digits are 47 to 57
  return (letter >= 97 && letter <= 122 && code >= 65) || code === 43 || (code >= 47 && code <= 57);
}

const telegramToken = /:AA(?<=(?<!\w)\d{8,10}:AA)[0-9A-Za-z_-]{33}(?![0-9A-Za-z_-])/y;

function findTelegram(text: string, effort: Effort): Found[] {
  const all: Found[] = [];
  for (let at = text.indexOf(':AA'); at !== -1; at = text.indexOf(':AA', at + 1)) {
    telegramToken.lastIndex = at;
    const match = telegramToken.exec(text)?.[0];
    if (!spend(effort, 1)) break;
    if (match === undefined || !isRandom(match)) continue;
    all.push({ kind: 'Telegram bot token', at, end: at + match.length, start: `${match.slice(0, 8)}…` });
    if (all.length === maxFindings) break;
  }
  return all;
}

/** `scheme://user:password@host` */
const address = /:\/\/([^\s:@/"'<>`]{0,100}):([^\s@/"'<>`]{3,200})@([^\s/"'<>`:?#]{1,100})/y;
const noPassword =
  /^(?:(?:pass(?:word|wd)?|pwd?|pw|secret|user(?:name)?|token|key)[_-]?\d{0,4}|test|example|change.*|your.*|x+|\*+|\.+|…|[$%{[(&].*)$/i;
const noHost =
  /^(?:localhost|127\.|0\.0\.0\.0|host(?:name)?$|server$|db$|x$|[${%[])|(?:^|\.)(?:example|invalid|test)(?:\.|$)/i;

function findAddresses(text: string, effort: Effort): Found[] {
  const all: Found[] = [];
  let free = 0;
  for (let place = text.indexOf('://'); place !== -1; place = text.indexOf('://', place + 1)) {
    if (place < free) continue;
    if (!spend(effort, 1)) break;
    address.lastIndex = place;
    const [match = '', user, password = '', host = ''] = address.exec(text) ?? [];
    if (match === '') continue;
    free = place + match.length;
    if (!spend(effort, 5)) break;
    const scheme = /[a-z][a-z0-9+.-]{1,20}$/i.exec(text.slice(Math.max(0, place - 21), place))?.[0];
    if (scheme === undefined || password === user || noPassword.test(password) || noHost.test(host)) continue;
    all.push({
      kind: 'password in an address',
      at: place - scheme.length,
      end: free,
      start: `${scheme}://…`,
    });
    if (all.length === maxFindings) break;
  }
  return all;
}

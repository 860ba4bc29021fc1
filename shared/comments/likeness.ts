import { comparable, weightOf } from './compared-text.ts';

/** W3C TextQuoteSelector, as people read it: a line for each block. `comparable` of each text is compared. */
export interface Sided {
  readonly quote: string;
  readonly prefix: string;
  readonly suffix: string;
}

/** How much of both sides a place has. */
export interface Likeness {
  readonly before: number;
  readonly after: number;
}

export interface Candidate extends Likeness {
  readonly start: number;
}

/**
 * `same`: as many places of the text are before it and behind it as in its own version, and they are as like it as there. `line`: they
 * are at least as many before it, or behind it, and its line is that of the quote.
 */
export type Order = 'same' | 'line' | null;

/** A quote as it is compared. */
export interface Wanted {
  readonly quote: string;
  readonly prefix: string;
  readonly suffix: string;
  /** How much of the sides is in the line of the quote. */
  readonly line: Likeness;
  /** Of a quote of several lines, the lengths of the first and of the last one; null: it has one line. */
  readonly ends: { readonly first: number; readonly last: number } | null;
  /** How many digits of the sides are of a number of which the quote has a part. */
  readonly cutBefore: number;
  readonly cutAfter: number;
}

/** So much of a text is looked for before the whole of it is compared. */
const maxHead = 64;
/** More places than that are not looked at: nothing tells them apart in time. */
export const maxPlaces = 1_000;
export const maxDoubles = 8;

/** In Latin letters: shorter texts are too often somewhere else, too. */
const minRun = 16;
/** Next to one side alone a shorter quote may be part of something else. */
const minQuote = 4;

export function toWanted({ quote, prefix, suffix }: Sided): Wanted {
  const before = prefix.split('\n').at(-1) ?? '';
  const after = suffix.split('\n')[0] ?? '';
  return {
    quote: comparable(quote),
    prefix: comparable(prefix),
    suffix: comparable(suffix),
    line: { before: comparable(before).length, after: comparable(after).length },
    ends: endsOf(quote.split('\n')),
    cutBefore: isNumber(quote.charAt(0)) ? digitsBefore(prefix) : 0,
    cutAfter: /\p{Nd}$/u.test(quote) ? (/^\p{Nd}+/u.exec(suffix)?.[0].length ?? 0) : 0,
  };
}

function endsOf(lines: readonly string[]): Wanted['ends'] {
  const lengthOf = (index: number) => comparable(lines.at(index) ?? '').length;
  return lines.length === 1 ? null : { first: lengthOf(0), last: lengthOf(-1) };
}

/** The only place that has all of both sides: of an anchor of which nobody knows how it stood. */
export function onlyWhole(places: readonly Candidate[], { prefix, suffix }: Wanted): Candidate | null {
  const isWhole = ({ before, after }: Likeness) => before === prefix.length && after === suffix.length;
  const [found, other] = prefix === '' || suffix === '' ? [] : places.filter(isWhole);
  return other === undefined ? (found ?? null) : null;
}

/**
 * Whether what the place has of the sides proves that it is not the other one. When a block is moved or removed, its neighbours get
 * new neighbours, so more on one side proves it only within the line of the quote, or where the place has all of both sides.
 * @param order of the place among the places of the text
 */
export function tellsFrom(place: Likeness, other: Likeness, wanted: Wanted, order: Order): boolean {
  const { quote, line } = wanted;
  if (isAllOfBoth(place, wanted) && isMoreInOrder(place, other, wanted, order)) return true;
  const isWholeLine = place.before >= line.before && place.after >= line.after;
  if (isWholeLine && isOtherLine(other, wanted) && isLineKnown(wanted)) return true;
  const { isBefore, isAfter } = moreWords(place, other, wanted);
  const isInLine = (isBefore && other.before < line.before) || (isAfter && other.after < line.after);
  if (isInLine && isWholeLine) return true;
  return ((isBefore && isAfter) || (isInLine && weightOf(quote) >= minQuote)) && isLong(place, wanted);
}

export function isAllOfBoth(place: Likeness, { prefix, suffix }: Wanted): boolean {
  return place.before === prefix.length && place.after === suffix.length;
}

function isOtherLine(other: Likeness, { line }: Wanted): boolean {
  return other.before < line.before || other.after < line.after;
}

/** Lines that are the same can change places: their order proves nothing, unless all of them are as they were. */
function isMoreInOrder(place: Likeness, other: Likeness, wanted: Wanted, order: Order): boolean {
  const isBefore = place.before > other.before;
  const isAfter = place.after > other.after;
  if (isBefore && isAfter) return true;
  const isInOrder =
    order === 'same' || (order === 'line' && (isOtherLine(other, wanted) || !isLineClosed(wanted)));
  return (isBefore || isAfter) && isInOrder;
}

function isNumber(char: string): boolean {
  return /\p{Nd}/u.test(char);
}

/** How many digits it ends with. */
function digitsBefore(text: string): number {
  let start = text.length;
  while (start > 0 && isNumber(text.charAt(start - 1))) start--;
  return text.length - start;
}

/** Where the place has more of the sides than the other one. Another version may have other numbers: they tell nothing apart. */
function moreWords(place: Likeness, other: Likeness, { prefix, suffix }: Wanted) {
  return {
    isBefore: place.before > other.before && !isNumber(prefix.charAt(prefix.length - other.before - 1)),
    isAfter: place.after > other.after && !isNumber(suffix.charAt(other.after)),
  };
}

function isLong(place: Likeness, { quote, prefix, suffix }: Wanted): boolean {
  const before = prefix.slice(prefix.length - place.before);
  return weightOf(before + quote + suffix.slice(0, place.after)) >= minRun;
}

/** Whether the sides have the whole line of the quote. */
export function isLineClosed({ prefix, suffix, line }: Wanted): boolean {
  return (prefix === '' || line.before < prefix.length) && (suffix === '' || line.after < suffix.length);
}

/** Whether the quote is in one line that is longer than its sides. */
export function isInLongLine(wanted: Wanted): boolean {
  return wanted.ends === null && !isLineClosed(wanted);
}

/** Whether no number at the edges of that line could go on, either. */
function isLineKnown(wanted: Wanted): boolean {
  const { quote, prefix, suffix, line } = wanted;
  const whole = prefix.slice(prefix.length - line.before) + quote + suffix.slice(0, line.after);
  return isLineClosed(wanted) && !/^\p{Nd}|\p{Nd}$/u.test(whole);
}

/**
 * Whether the place of a quote of several lines is one: lines that stand elsewhere, too, can come beside each other. Each of its ends is a whole
 * line, or long; one stood once in its own version, and the other one, too, or it stands once here.
 * @param alone how much of each side stood once there; 0: it did not @param isOnce whether the text stands once in this document
 */
export function isQuoteOfLines(
  place: Likeness,
  wanted: Wanted,
  alone: Likeness,
  isOnce: (text: string) => boolean,
): boolean {
  const { quote, prefix, suffix, line, ends } = wanted;
  if (ends === null) return true;
  const first =
    prefix.slice(prefix.length - Math.min(place.before, line.before)) + quote.slice(0, ends.first);
  const last = quote.slice(quote.length - ends.last) + suffix.slice(0, Math.min(place.after, line.after));
  const isStart = place.before >= line.before || weightOf(first) >= minRun;
  const isEnd = place.after >= line.after || weightOf(last) >= minRun;
  const wasFirstAlone = alone.before > 0 && place.before >= alone.before;
  const wasLastAlone = alone.after > 0 && place.after >= alone.after;
  if (!isStart || !isEnd || !(wasFirstAlone || wasLastAlone)) return false;
  return (wasFirstAlone || isOnce(first)) && (wasLastAlone || isOnce(last));
}

export function wholeOf({ prefix, suffix }: Wanted): Likeness {
  return { before: prefix.length, after: suffix.length };
}

/** Where the suffix begins, of which there is one so near behind the position; a short one ends with the text. */
export function edgeAfter(text: string, start: number, suffix: string, most: number): number | null {
  const head = suffix.slice(0, minRun);
  if (head.length < minRun) return text.endsWith(head) ? text.length - head.length : null;
  const near = text.slice(start, start + most + head.length);
  const [only, other] = placesOf(near, head, 2) ?? [];
  return only === undefined || other !== undefined ? null : start + only;
}

/** Where the prefix ends, of which there is one so near before the position; a short one begins with the text. */
export function edgeBefore(text: string, end: number, prefix: string, most: number): number | null {
  const tail = prefix.slice(-minRun);
  if (tail.length < minRun) return text.startsWith(tail) ? tail.length : null;
  const from = Math.max(0, end - most - tail.length);
  const [only, other] = placesOf(text.slice(from, end), tail, 2) ?? [];
  return only === undefined || other !== undefined ? null : from + only + tail.length;
}

/** Those of which no other one has at least as much of both sides. Too many: the last are one that has as much as any of them. */
export function closest(places: readonly Likeness[]): Likeness[] {
  const sorted = [...places].sort((a, b) => b.before - a.before || b.after - a.after);
  const found: { before: number; after: number }[] = [];
  for (const { before, after } of sorted) {
    const last = found.at(-1);
    if (last !== undefined && after <= last.after) continue;
    if (last !== undefined && found.length === maxDoubles) last.after = after;
    else found.push({ before, after });
  }
  return found;
}

export function toPairs(numbers: readonly number[]): Likeness[] {
  const pairs: Likeness[] = [];
  for (let n = 0; n + 1 < numbers.length; n += 2) {
    pairs.push({ before: numbers[n] ?? 0, after: numbers[n + 1] ?? 0 });
  }
  return pairs;
}

/**
 * The first places of the part; none for ''. Looks for its beginning, so that a long part takes no more time where the text is full
 * of almost the same. @returns undefined: it, or its beginning, stands in more places than `most`
 */
export function placesOf(text: string, part: string, most: number): number[] | undefined {
  const head = part.slice(0, maxHead);
  const places: number[] = [];
  let looked = 0;
  for (let at = part === '' ? -1 : text.indexOf(head); at >= 0; at = text.indexOf(head, at + 1)) {
    looked += 1;
    if (looked > maxPlaces) return undefined;
    if (text.startsWith(part, at)) places.push(at);
    if (places.length === most) return places;
  }
  return places;
}

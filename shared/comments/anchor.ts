import { isLike, sameAfter, sameBefore } from './alike.ts';
import { comparable, cut, isJoining, withoutNumbers } from './compared-text.ts';
import {
  type Candidate,
  closest,
  edgeAfter,
  edgeBefore,
  isAllOfBoth,
  isInLongLine,
  isLineClosed,
  isQuoteOfLines,
  type Likeness,
  maxPlaces,
  type Order,
  onlyWhole,
  placesOf,
  type Sided,
  tellsFrom,
  toPairs,
  toWanted,
  type Wanted,
  wholeOf,
} from './likeness.ts';
import { areBeside, isInNumber, isLineAt, isMirrored, type LinedText, lineAt } from './quote-lines.ts';

export interface SearchedText extends LinedText {
  isHeading(position: number): boolean;
}

export interface Quote extends Sided {
  /** null: not known. */
  readonly standing: Standing | null;
}

/** What tells the quote from the same text elsewhere in its version. */
export interface Standing {
  readonly isHeading: boolean;
  /** How often the text stands in the whole document. */
  readonly times: number;
  /** How often it stands before the quote. */
  readonly nth: number;
  /** Of each other place (of headings, if it is in one; otherwise of the others): how many characters of the prefix and of the
   * suffix it has, too: before, after, before, after. Only those of which no other one has more of both. */
  readonly doubles: readonly number[];
  /** How much of the line of the quote is before it and after it, and what tells the whole line from another one. Empty: another
   * line is the same, as far as the sides go and beyond. */
  readonly line: readonly number[];
  /** The end of the prefix that stands once, without regard to numbers: its length. 0: there is none. */
  readonly before: number;
  /** The beginning of the suffix, likewise. */
  readonly after: number;
}

export interface Place {
  readonly start: number;
  readonly end: number;
  /** false: other words stand in its place. */
  readonly isExact: boolean;
}

/** What the service stores (comment.ts). */
const maxQuote = 1_000;
const maxSide = 64;
/** Lengths with which a side is tried alone. */
const sideLengths = [16, 32, 48, maxSide];

/** Finds quotes in one document. */
export class QuoteFinder<T extends SearchedText = SearchedText> {
  readonly #page: T;
  #withoutNumbers: string | null = null;

  constructor(page: T) {
    this.#page = page;
  }

  /** The document in which it looks. */
  get page(): T {
    return this.#page;
  }

  /** What stands at a place, as people read it, at most as much as a quote has. */
  read({ start, end }: Place): string {
    return cut(this.#page.read(start, end), maxQuote);
  }

  /** What stands between these positions. @returns null for white space */
  describe(start: number, end: number): (Quote & { position: number }) | null {
    const quote = cut(this.#page.read(start, end), maxQuote);
    const { length } = comparable(quote);
    if (length === 0) return null;
    const sides = this.#sidesAt(start, start + length);
    return {
      quote,
      position: start,
      ...sides,
      standing: this.#standingAt(start, toWanted({ quote, ...sides })),
    };
  }

  /**
   * How a quote stands in its own version, and what is around it there: where it stands with its sides; otherwise where it stands once.
   * Sides that are there stay as they are. @returns null: nobody knows where
   */
  describeOwn(anchor: Sided & { readonly position: number }): Omit<Quote, 'quote'> | null {
    const wanted = toWanted(anchor);
    const places = this.#candidates(wanted) ?? [];
    const isWhole = ({ before, after }: Likeness) =>
      before === wanted.prefix.length && after === wanted.suffix.length;
    const whole = places.filter(isWhole);
    const [only, other] = whole.length === 0 ? places : whole;
    const own = other === undefined ? only : whole.find(({ start }) => start === anchor.position);
    if (own === undefined) return null;
    const { start } = own;
    const read = this.#sidesAt(start, start + wanted.quote.length);
    const prefix = isWhole(own) && wanted.prefix !== '' ? anchor.prefix : read.prefix;
    const suffix = isWhole(own) && wanted.suffix !== '' ? anchor.suffix : read.suffix;
    const standing = this.#standingAt(start, toWanted({ quote: anchor.quote, prefix, suffix }));
    return { prefix, suffix, standing };
  }

  #sidesAt(start: number, end: number): Omit<Sided, 'quote'> {
    const { text } = this.#page;
    // With what is between them and the quote: it may be the end of a line.
    const before = this.#page.read(Math.max(0, start - maxSide), start + 1).slice(0, -1);
    const behind = this.#page.read(end - 1, Math.min(text.length, end + maxSide)).slice(1);
    return { prefix: cut(before, -maxSide), suffix: cut(behind, maxSide) };
  }

  #standingAt(start: number, wanted: Wanted): Standing | null {
    const places = this.#candidates(wanted);
    if (places === undefined) return null;
    const line = lineAt(this.#page, start, start + wanted.quote.length);
    const isSameLine = (place: Candidate) => isLineAt(this.#page, line, place.start, wanted.quote.length);
    const others = places.filter((place) => place.start !== start);
    return {
      isHeading: this.#page.isHeading(start),
      times: places.length,
      nth: places.filter((place) => place.start < start).length,
      doubles: this.#doublesOf(start, places, wanted),
      line: !isLineClosed(wanted) && others.some(isSameLine) ? [] : line,
      before: this.#lengthAlone(wanted.prefix, -1),
      after: this.#lengthAlone(wanted.suffix, 1),
    };
  }

  #doublesOf(start: number, places: readonly Candidate[], wanted: Wanted): Standing['doubles'] {
    const isHeading = this.#page.isHeading(start);
    const doubles = places
      .filter((place) => place.start !== start && this.#page.isHeading(place.start) === isHeading)
      .map((place) => (this.#canPassFor(start, place, wanted) ? wholeOf(wanted) : place));
    return closest(doubles).flatMap(({ before, after }) => [before, after]);
  }

  /** Whether it would have all of both sides if the line of the quote were moved or removed: lines beside each other are the same. */
  #canPassFor(own: number, { start, before, after }: Candidate, { prefix, suffix, line }: Wanted): boolean {
    const isBehind = start > own;
    const isAlike = isBehind
      ? after === suffix.length && before >= line.before
      : before === prefix.length && after >= line.after;
    return isAlike && areBeside(this.#page, start, own);
  }

  /**
   * Where the quote stands; null: nowhere, or it is not certain. Blocks are moved, copied and removed, and what stands next to each
   * other then is no proof.
   * @param position of the quote, if this is the version from which it was taken; otherwise null: after a change it proves nothing
   */
  find(anchor: Quote, position: number | null): Place | null {
    const wanted = toWanted(anchor);
    const { quote, prefix, suffix } = wanted;
    if (position !== null && position >= prefix.length) {
      const isThere = this.#page.text.startsWith(prefix + quote + suffix, position - prefix.length);
      if (isThere) return exactAt(position, quote);
    }
    const places = quote === '' ? [] : this.#candidates(wanted);
    if (places === undefined) return null;
    const isAlone = position !== null && places.length === 1; // in its own version
    const unknown = () => (isAlone ? (places[0] ?? null) : onlyWhole(places, wanted));
    const found = anchor.standing === null ? unknown() : this.#choose(places, wanted, anchor.standing);
    if (found !== null) return exactAt(found.start, quote);
    const isElsewhere = places.length > 0;
    return anchor.standing === null || isElsewhere || anchor.quote.includes('\n')
      ? null
      : this.#findChanged(wanted, anchor.standing);
  }

  /** The places of the text, at most `maxPlaces`. @returns undefined: there are more */
  #candidates(wanted: Wanted): Candidate[] | undefined {
    const { text } = this.#page;
    const { quote, prefix, suffix } = wanted;
    return placesOf(text, quote, maxPlaces)
      ?.map((start) => ({
        start,
        before: sameBefore(text, start, prefix, prefix.length),
        after: sameAfter(text, start + quote.length, suffix),
      }))
      .filter((place) => this.#isWhole(place, wanted));
  }

  /** Whether the place is no part of a longer character or number: "e" of "é", "4" of "42". */
  #isWhole({ start, before, after }: Candidate, { quote, suffix, cutBefore, cutAfter }: Wanted): boolean {
    const { text } = this.#page;
    const end = start + quote.length;
    if (isJoining(text.charAt(end)) && text.charAt(end) !== suffix.charAt(0)) return false;
    if (before < cutBefore || after < cutAfter) return false;
    return ![start - cutBefore, end + cutAfter].some((at) => isInNumber(this.#page, at));
  }

  #choose(places: readonly Candidate[], wanted: Wanted, standing: Standing): Candidate | null {
    const [first, second] = places;
    const isOnce = (text: string) => placesOf(this.#page.text, text, 2)?.length === 1;
    if (standing.times === 1 && first !== undefined && second === undefined)
      return isQuoteOfLines(first, wanted, standing, isOnce) ? first : null;
    if (wanted.ends !== null) return null;
    const alike = places.filter(({ start }) => this.#page.isHeading(start) === standing.isHeading);
    const doubles = toPairs(standing.doubles);
    const isSameLine = ({ start }: Candidate) =>
      isLineAt(this.#page, standing.line, start, wanted.quote.length);
    const more = places.length - standing.times;
    const whole = places.filter((place) => isAllOfBoth(place, wanted));
    const orderOf = (place: Candidate): Order => {
      const nth = places.indexOf(place);
      const isInOrder = more >= 0 && (nth === standing.nth || nth - more === standing.nth);
      if (!isInOrder) return null;
      const isOnlyWhole = whole.length === 1 && whole[0] === place;
      if (more === 0 && isOnlyWhole && this.#isAsBefore(place, places, wanted, standing)) return 'same';
      return isSameLine(place) ? 'line' : null;
    };
    // A line that stands once is found as a quote that stands once.
    const [inLine, another] =
      standing.line.length > 0 && isInLongLine(wanted) ? alike.filter(isSameLine) : [];
    if (inLine !== undefined && another === undefined) return inLine;
    const isCertain = (place: Candidate) => {
      const order = orderOf(place);
      const rest = alike.filter((one) => one !== place);
      return [...doubles, ...rest].every((one) => tellsFrom(place, one, wanted, order));
    };
    const [found, other] = alike.filter(isCertain);
    return other === undefined ? (found ?? null) : null;
  }

  /** Whether the others are as like it as in its own version, none is in a line beside it, and it is not another one of lines that were turned round. */
  #isAsBefore(place: Candidate, places: readonly Candidate[], wanted: Wanted, standing: Standing): boolean {
    const nth = places.indexOf(place);
    const isBeside = ({ start }: Candidate) => areBeside(this.#page, place.start, start);
    if (places.slice(Math.max(0, nth - 1), nth + 2).some(isBeside)) return false;
    const isSame = String(this.#doublesOf(place.start, places, wanted)) === String(standing.doubles);
    const mirrored = places[places.length - 1 - nth];
    if (mirrored === undefined || mirrored === place) return isSame;
    return isSame && !isMirrored(this.#page, place.start, mirrored.start, wanted.quote.length);
  }

  /** What stands between the sides, one of which stands once. */
  #findChanged({ quote, prefix, suffix }: Wanted, { before, after }: Standing): Place | null {
    const { text } = this.#page;
    const left = this.#edge(prefix.slice(Math.max(0, prefix.length - before)), 1);
    const right = this.#edge(suffix.slice(0, after), 0);
    if (prefix + suffix === '')
      return isLike(text, quote) ? { start: 0, end: text.length, isExact: false } : null;
    const most = quote.length + quote.length / 2;
    const start = left ?? (right === null ? null : edgeBefore(text, right, prefix, most));
    const end = right ?? (left === null ? null : edgeAfter(text, left, suffix, most));
    if (start === null || end === null || start >= end) return null;
    const found = text.slice(start, end);
    return isLike(found, quote) ? { start, end, isExact: false } : null;
  }

  /** Where the only such side ends (1) or begins (0). */
  #edge(side: string, ending: 0 | 1): number | null {
    const [only, other] = placesOf(this.#masked(), withoutNumbers(side), 2) ?? [];
    const isOnce = only !== undefined && other === undefined && this.#page.text.startsWith(side, only);
    return isOnce ? only + ending * side.length : null;
  }

  /** How much of a side stands once. Another version may have other numbers: they tell nothing apart. */
  #lengthAlone(side: string, direction: 1 | -1): number {
    const isOnce = (length: number) => {
      const part = direction > 0 ? side.slice(0, length) : side.slice(-length);
      return placesOf(this.#masked(), withoutNumbers(part), 2)?.length === 1;
    };
    const lengths = [...sideLengths.filter((length) => length < side.length), side.length];
    return side === '' ? 0 : (lengths.find(isOnce) ?? 0);
  }

  #masked(): string {
    this.#withoutNumbers ??= withoutNumbers(this.#page.text);
    return this.#withoutNumbers;
  }
}

function exactAt(start: number, quote: string): Place {
  return { start, end: start + quote.length, isExact: true };
}

import { hashOf, isLike, sameAfter, sameBefore } from './alike.ts';
import { comparable, cut, isJoining, withoutNumbers } from './compared-text.ts';
import {
  type Candidate,
  closest,
  edgeAfter,
  edgeBefore,
  isLineClosed,
  isWholeQuote,
  type Likeness,
  maxPlaces,
  onlyWhole,
  placesOf,
  type Sided,
  tellsFrom,
  toPairs,
  toWanted,
  type Wanted,
  wholeOf,
} from './likeness.ts';

/** The text of a document: of its source in the worker, of the page in a browser. */
export interface SearchedText {
  /** The comparable text (`comparable`). Positions are its UTF-16 units. */
  readonly text: string;
  /** For people: a line for each block, and one space for all white space in it. */
  read(start: number, end: number): string;
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
/** Lines that are longer are not compared with the next one. */
const maxLine = 4_000;

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
    const line = this.#lineAt(start, start + wanted.quote.length);
    const isSameLine = this.#lineTest(wanted, line);
    const isHeading = this.#page.isHeading(start);
    const others = places.filter((place) => place.start !== start);
    const doubles = others
      .filter((place) => this.#page.isHeading(place.start) === isHeading)
      .map((place) => (this.#canPassFor(start, place, wanted) ? wholeOf(wanted) : place));
    return {
      isHeading,
      times: places.length,
      nth: places.filter((place) => place.start < start).length,
      doubles: closest(doubles).flatMap(({ before, after }) => [before, after]),
      line: !isLineClosed(wanted) && others.some(isSameLine) ? [] : line,
      before: this.#lengthAlone(wanted.prefix, -1),
      after: this.#lengthAlone(wanted.suffix, 1),
    };
  }

  #lineAt(start: number, end: number): Standing['line'] {
    const { text } = this.#page;
    const left = this.#page.read(Math.max(0, start - maxLine), start + 1).slice(0, -1);
    const right = this.#page.read(end - 1, Math.min(text.length, end + maxLine)).slice(1);
    const before = comparable(left.split('\n').at(-1) ?? '').length;
    const after = comparable(right.split('\n')[0] ?? '').length;
    return [before, after, hashOf(text.slice(start - before, end + after))];
  }

  /** Whether it would have all of both sides if the line of the quote were moved or removed: lines beside each other are the same. */
  #canPassFor(own: number, { start, before, after }: Candidate, { prefix, suffix, line }: Wanted): boolean {
    const isBehind = start > own;
    const isAlike = isBehind
      ? after === suffix.length && before >= line.before
      : before === prefix.length && after >= line.after;
    if (!isAlike || Math.abs(start - own) > maxLine) return false;
    const between = this.#page.read(Math.min(start, own), Math.max(start, own) + 1);
    return between.split('\n').length === 2;
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
    const goesOn = (at: number) =>
      /^\p{Nd}\p{Nd}$/u.test(text.slice(at - 1, at + 1)) && !/\s/.test(this.#page.read(at - 1, at + 1));
    return !goesOn(start - cutBefore) && !goesOn(end + cutAfter);
  }

  #choose(places: readonly Candidate[], wanted: Wanted, standing: Standing): Candidate | null {
    const [first, second] = places;
    const isWhole = (place: Candidate) => isWholeQuote(place, wanted);
    if (standing.times === 1 && first !== undefined && second === undefined)
      return isWhole(first) ? first : null;
    const alike = places.filter(({ start }) => this.#page.isHeading(start) === standing.isHeading);
    const doubles = toPairs(standing.doubles);
    // As often as in its own version, or more often: then as many places are before it, or behind it.
    const isInOrder = (place: Candidate) => {
      const nth = places.indexOf(place);
      const more = places.length - standing.times;
      return more >= 0 && (nth === standing.nth || nth - more === standing.nth);
    };
    const isSameLine = this.#lineTest(wanted, standing.line);
    const isCertain = (place: Candidate) =>
      [...doubles, ...alike.filter((other) => other !== place)].every((other) =>
        tellsFrom(place, other, wanted, isInOrder(place) && isSameLine(place)),
      );
    const [found, other] = alike.filter((place) => isWhole(place) && isCertain(place));
    return other === undefined ? (found ?? null) : null;
  }

  /** Whether the whole line of the place is that of the quote. */
  #lineTest(
    { quote }: Wanted,
    [before = 0, after = 0, hash = 0]: Standing['line'],
  ): (place: Candidate) => boolean {
    const { text } = this.#page;
    return ({ start }) =>
      start >= before && hashOf(text.slice(start - before, start + quote.length + after)) === hash;
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

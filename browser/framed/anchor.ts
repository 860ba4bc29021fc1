import { type PageText, strip } from './page-text.ts';

/** W3C TextQuoteSelector, as people read it: a line for each block. strip() of each text is compared. */
export interface Quote {
  readonly quote: string;
  readonly prefix: string;
  readonly suffix: string;
}

type Place = [start: number, end: number];

/** What the service stores (shared/comments/comment.ts). */
const maxQuote = 1_000;
/** Lengths that a side is tried with; the last is what the service stores. */
const sideLengths = [32, 48, 64];

/** Shorter texts are too often somewhere else, too. */
const minRun = 16;
/** Next to one side alone a shorter quote may be part of something else. */
const minQuote = 4;
const maxApproximateQuote = 256;
const maxApproximateText = 500_000;

/**
 * What stands between these positions. Both sides: each stands once in the page by itself. One side: it is in the line of the quote,
 * and with the quote it stands once. None: nothing but the position tells the quote from another one. @returns null for white space
 */
export function describe(page: PageText, start: number, end: number): (Quote & { position: number }) | null {
  const { text } = page;
  const quote = cut(page.read(start, end), maxQuote);
  const exact = strip(quote);
  if (exact === '') return null;
  const after = start + exact.length;
  const longest = sideLengths.at(-1) ?? 0;
  // With what is between them and the quote: it may be the end of a line.
  const before = page.read(Math.max(0, start - longest), start + 1).slice(0, -1);
  const behind = page.read(after - 1, Math.min(text.length, after + longest)).slice(1);
  // Another version may have other numbers: they tell nothing apart.
  const withoutNumbers = (part: string) => part.replace(/\p{Nd}/gu, '0');
  const masked = withoutNumbers(text);
  const isOnce = (part: string) => placesOf(masked, withoutNumbers(strip(part))).length === 1;
  const left = before.split('\n').at(-1) ?? '';
  const right = behind.split('\n')[0] ?? '';
  const none = { quote, prefix: '', suffix: '', position: start };
  // Lines of which there are several can be in another order in another version, and nothing tells them apart.
  if (!/[\p{L}\p{N}]/u.test(quote) || !(left + quote + right).split('\n').some(isOnce)) return none;
  const prefix = sideLengths.map((length) => cut(before, -length)).find(isOnce) ?? '';
  const suffix = sideLengths.map((length) => cut(behind, length)).find(isOnce) ?? '';
  const isWhole = (prefix !== '' || start === 0) && (suffix !== '' || after === text.length);
  if (isWhole) return { ...none, prefix, suffix };
  const near = cut(left, -longest);
  const next = cut(right, longest);
  if (quote.includes('\n')) return none;
  if (near !== '' && isOnce(near + exact)) return { ...none, prefix: near };
  return next !== '' && isOnce(exact + next) ? { ...none, suffix: next } : none;
}

/**
 * Where the quote stands; null: nowhere, or it is not certain. Blocks are moved, copied and removed, and what stands next to each
 * other then is no proof: one side proves a place only within a line. A quote that was changed is found between its sides.
 * @param position of the quote, if this is the version from which it was taken; otherwise null: after a change it proves nothing
 */
export function findQuote(page: PageText, anchor: Quote, position: number | null): Place | null {
  const { text } = page;
  const quote = strip(anchor.quote);
  const prefix = strip(anchor.prefix);
  const suffix = strip(anchor.suffix);
  const at = (start: number): Place => [start, start + quote.length];
  if (position !== null) {
    const isThere = text.startsWith(prefix + quote + suffix, position - prefix.length);
    if (isThere && position >= prefix.length) return at(position);
  }
  const isCopied = (part: string) => placesOf(text, strip(part)).length > 1;
  const places = new Set<number>();
  const isInLine = (side: string) =>
    side !== '' && quote.length >= minQuote && !(side + anchor.quote).includes('\n');
  const lookFor = (run: string, offset: number) => {
    for (const start of placesOf(text, run))
      if (run.length >= minRun && page.isLine(start, start + run.length)) places.add(start + offset);
  };
  if (isInLine(anchor.prefix)) lookFor(prefix + quote, prefix.length);
  if (isInLine(anchor.suffix)) lookFor(quote + suffix, 0);
  if (places.size === 0) {
    // Both sides are there; or one, and the quote is at the edge of the page; or none, because a program wrote it.
    const isProof = (start: number) =>
      (prefix !== '' || start === 0) && (suffix !== '' || start + quote.length === text.length)
        ? /\n/.test(anchor.prefix + anchor.suffix) || (prefix !== '' && suffix !== '')
        : prefix + suffix === '' && position !== null;
    const [whole, second] = placesOf(text, prefix + quote + suffix);
    const line = `${anchor.prefix.split('\n').at(-1)}${anchor.quote}${anchor.suffix.split('\n')[0]}`;
    // A copy of the line may have got the neighbours that the line had.
    if (second !== undefined || (isCopied(line) && position === null)) return null;
    if (whole !== undefined && isProof(whole + prefix.length)) places.add(whole + prefix.length);
  }
  const [only, other] = places;
  if (only !== undefined) return other === undefined ? at(only) : null;
  const isTooLong = quote.length > maxApproximateQuote || text.length > maxApproximateText;
  if (isTooLong || anchor.quote.includes('\n') || text.includes(quote)) return null;
  return findChanged(page, quote, prefix, suffix);
}

/** What stands between the sides, if each stands there once. */
function findChanged(page: PageText, quote: string, prefix: string, suffix: string): Place | null {
  const { text } = page;
  const [before, otherBefore] = placesOf(text, prefix);
  const [end, otherEnd] = placesOf(text, suffix);
  if (before === undefined || end === undefined || otherBefore !== undefined || otherEnd !== undefined)
    return null;
  const start = before + prefix.length;
  return start < end && isLike(text.slice(start, end), quote) && page.isLine(start, end)
    ? [start, end]
    : null;
}

/** The first two places; none for ''. */
function placesOf(text: string, part: string): number[] {
  const first = part === '' ? -1 : text.indexOf(part);
  if (first < 0) return [];
  const second = text.indexOf(part, first + 1);
  return second < 0 ? [first] : [first, second];
}

/** At most that many characters from the beginning, or from the end if it is negative; no half of a surrogate pair. */
function cut(text: string, most: number): string {
  const part = most < 0 ? text.slice(most) : text.slice(0, most);
  return part.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}

/** Whether at most half of the characters differ (edit distance). */
function isLike(text: string, quote: string): boolean {
  const most = quote.length / 2;
  if (Math.abs(text.length - quote.length) > most) return false;
  let row = Array.from({ length: quote.length + 1 }, (_, index) => index);
  for (let at = 0; at < text.length; at++) {
    const next = [at + 1];
    for (let index = 0; index < quote.length; index++) {
      const left = next[index] ?? 0;
      const above = row[index + 1] ?? 0;
      const corner = row[index] ?? 0;
      next.push(Math.min(left + 1, above + 1, corner + (text[at] === quote[index] ? 0 : 1)));
    }
    row = next;
  }
  return (row[quote.length] ?? 0) <= most;
}

import { type Quote, QuoteFinder } from '../comments/anchor.ts';
import { SourceText } from './source-text.ts';

/** `position`: null if the quote was taken from another version. */
export interface SoughtQuote extends Quote {
  readonly position: number | null;
}

export interface FoundQuote {
  /** Of the document itself: whether prefix, quote and suffix stand there together, but for white space. Of another version: whether it is certain where it stands. */
  readonly isThere: boolean;
  /** Of the document itself: what is around it, and how it stands there. null: nobody knows where it stands. */
  readonly own: Omit<Quote, 'quote'> | null;
  /** Of another version: what stands in its place, as people read it. null: nothing, or it is not certain where. */
  readonly changedTo: string | null;
}

/**
 * Looks for quotes in the text of a document, in a thread, because both can be hostile (comments/anchor.ts says how).
 * @param html UTF-8 @returns one for each quote; null: too slow or too large
 * @throws DropError `unavailable` if the thread failed; never because of the document
 */
export type FindQuotes = (html: Uint8Array, quotes: readonly SoughtQuote[]) => Promise<FoundQuote[] | null>;

export interface QuotesTask {
  readonly html: Uint8Array;
  readonly quotes: readonly SoughtQuote[];
  readonly budgetMs: number;
}

/** The work of `FindQuotes`. null: it takes longer than the budget. */
export function findQuotes({ html, quotes, budgetMs }: QuotesTask): FoundQuote[] | null {
  const end = performance.now() + budgetMs;
  const expired = () => performance.now() >= end;
  const source = SourceText.read(new TextDecoder('utf-8', { ignoreBOM: true }).decode(html), { expired });
  if (source === null) return null;
  const finder = new QuoteFinder(source);
  const found: FoundQuote[] = [];
  for (const quote of quotes) {
    if (expired()) return null;
    const { position } = quote;
    found.push(
      position === null ? findOther(finder, quote) : findOwn(source, finder, { ...quote, position }),
    );
  }
  return found;
}

function findOwn(
  source: SourceText,
  finder: QuoteFinder,
  quote: Quote & { readonly position: number },
): FoundQuote {
  const isThere = source.hasVerbatim(quote.prefix + quote.quote + quote.suffix);
  return { isThere, own: finder.describeOwn(quote), changedTo: null };
}

function findOther(finder: QuoteFinder, quote: Quote): FoundQuote {
  const place = finder.find(quote, null);
  const changedTo = place === null || place.isExact ? null : finder.read(place);
  return { isThere: place?.isExact === true, own: null, changedTo };
}

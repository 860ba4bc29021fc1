import type { Drop } from './drop.ts';

/** The longest search, in characters. */
export const searchMaxCharacters = 200;

/** Marks on letters, variation selectors of emoji, and invisible format characters, which nobody types into a search. */
const ignored = /[\u0300-\u036f\ufe0e\ufe0f\p{Cf}]/gu;
const ascii = /^[\0-\x7f]*$/;

/**
 * The form in which texts are compared, without regard to case, accents and width in every script: `Straße` equals
 * `STRASSE`, and `İ` and `ı` equal `i`.
 */
function fold(text: string): string {
  if (ascii.test(text)) return text.toUpperCase();
  // In lower case first, because only `ß`, not `ẞ`, becomes `SS`; a change of case may add marks.
  return text.normalize('NFKD').replace(ignored, '').toLowerCase().toUpperCase().replace(ignored, '');
}

/** One character becomes up to 18 (U+FDFA), in Korean 3: no text of words grows more, so what stores keep has a bound. */
const maxGrowth = 3;

/** A title or description as searches read it. Stores keep it, because folding a text takes longer than searching it. */
export function foldText(text: string | null): string {
  return text === null ? '' : fold(text).slice(0, maxGrowth * text.length);
}

/** What a search looks at. */
export function foldTexts({ title, description }: Pick<Drop, 'title' | 'description'>): string {
  return `${foldText(title)}\n${foldText(description)}`;
}

/**
 * A test of folded texts: every word of the search occurs, as a whole word or a part of one. The stores of both engines use it,
 * so that both find the same.
 * @param search words separated by white space; without a word it finds everything
 */
export function createSearch(search: string): (folded: string) => boolean {
  const words = fold(search).split(/\s+/);
  return (folded) => words.every((word) => folded.includes(word));
}

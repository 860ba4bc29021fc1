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

/** What a search looks at. */
export type Searched = Pick<Drop, 'title' | 'description'>;

/**
 * A test of drops: every word of the search occurs in title or description, as a whole word or a part of one. The stores of
 * both engines use it, so that both find the same.
 * @param search words separated by white space; without a word it finds everything
 */
export function createSearch(search: string): (drop: Searched) => boolean {
  const words = fold(search).split(/\s+/);
  return ({ title, description }) => {
    const text = fold(`${title}\n${description ?? ''}`);
    return words.every((word) => text.includes(word));
  };
}

/** Of drops with the longest texts, so many are tested in about 10 ms. */
export const searchedPerTurn = 100;

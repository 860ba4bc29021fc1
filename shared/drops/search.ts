import type { Drop } from './drop.ts';

export const searchMaxCharacters = 200;

/** Marks on letters, variation selectors of emoji, and invisible format characters. */
const ignored = /[\u0300-\u036f\ufe0e\ufe0f\p{Cf}]/gu;
const ascii = /^[\0-\x7f]*$/;

/** Without case, accents and width, in every script: `Straße` equals `STRASSE`, and `İ` and `ı` equal `i`. */
function fold(text: string): string {
  if (ascii.test(text)) return text.toUpperCase();
  // In lower case first, because only `ß`, not `ẞ`, becomes `SS`; a change of case may add marks.
  return text.normalize('NFKD').replace(ignored, '').toLowerCase().toUpperCase().replace(ignored, '');
}

/** One character becomes 3 in Korean, and up to 18 (U+FDFA): what stores keep has a bound. */
const maxGrowth = 3;

/** A title or description as searches read it. Stores keep it: folding a text takes longer than searching it. */
export function foldText(text: string | null): string {
  return text === null ? '' : fold(text).slice(0, maxGrowth * text.length);
}

/** What a search looks at. */
export function foldTexts({ title, description }: Pick<Drop, 'title' | 'description'>): string {
  return `${foldText(title)}\n${foldText(description)}`;
}

/** Whether every word of the search occurs in folded texts, whole or as a part. Without a word it finds everything. */
export function createSearch(search: string): (folded: string) => boolean {
  const words = fold(search).split(/\s+/);
  return (folded) => words.every((word) => folded.includes(word));
}

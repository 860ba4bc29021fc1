import type { Details } from './drop.ts';

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

/** A text as searches read it, in one line. Stores keep it: folding a text takes longer than searching it. */
export function foldText(text: string | null): string {
  return text === null
    ? ''
    : fold(text)
        .slice(0, maxGrowth * text.length)
        .replaceAll('\n', ' ');
}

type Tag = readonly [key: string, value: string];

export interface Texts extends Pick<Details, 'title' | 'description'> {
  readonly metadata: Iterable<Tag>;
}

/** Each tag as `key=value`. */
export function foldMetadata(metadata: Iterable<Tag>): string {
  return Array.from(metadata, ([key, value]) => foldText(`${key}=${value}`)).join(' ');
}

/** What a search looks at: three lines, of which the first is what lists by title are sorted by. */
export function foldTexts({ title, description, metadata }: Texts): string {
  return [foldText(title), foldText(description), foldMetadata(metadata)].join('\n');
}

/** Whether every word of the search occurs in folded texts, whole or as a part. Without a word it finds everything. */
export function createSearch(search: string): (folded: string) => boolean {
  const words = fold(search).split(/\s+/);
  return (folded) => words.every((word) => folded.includes(word));
}

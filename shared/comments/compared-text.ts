/** White space and characters that show nothing: they do not count. Tags stay, because they tell flags apart. */
const ignored =
  /(?:[\s\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f]|\u034f|[\u180b-\u180f]|[\ufe00-\ufe0f])+/g;

/**
 * Ligatures, digraphs, dots, Arabic and Hebrew forms, full and half width: only how a text is set. Not superscripts, fractions,
 * numbers in circles or letters of formulas: 10² is not 102.
 */
const forms =
  /[\u0132\u0133\u01c4-\u01cc\u01f1-\u01f3\u2024-\u2026\ufb00-\ufdff\ufe70-\ufeff\uff00-\uffef]+/g;

const quotesAndDashes = /[\u2018-\u201b\u2039\u203a\u201c-\u201f\u00ab\u00bb\u2010-\u2015\u2212]/g;
const singleQuotes = '\u2018\u2019\u201a\u201b\u2039\u203a';
const doubleQuotes = '\u201c\u201d\u201e\u201f\u00ab\u00bb';

/** Of combined characters, what follows the first one (with vowels and finals of Korean syllables). */
const joining = /[\p{M}\u1160-\u11ff\udc00-\udfff]/u;

/** Han, kana and Korean letters: one says as much as three letters. */
const dense = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff]/g;

/**
 * The text as it is compared, everywhere: decomposed (NFD), with one form of quotes and dashes, without what does not count. The
 * length of a text is that of its parts together, unless a part ends between a character and what is combined with it.
 */
export function comparable(text: string): string {
  return text
    .replace(forms, (found) => found.normalize('NFKD'))
    .normalize('NFD')
    .replace(quotesAndDashes, plainForm)
    .replace(ignored, '');
}

function plainForm(char: string): string {
  if (singleQuotes.includes(char)) return "'";
  return doubleQuotes.includes(char) ? '"' : '-';
}

/** Whether it continues the character before it. */
export function isJoining(char: string): boolean {
  return joining.test(char);
}

/** The length in letters of Latin, of a comparable text. */
export function weightOf(text: string): number {
  return text.length + 2 * (text.match(dense)?.length ?? 0);
}

/** At most that many characters from the beginning, or from the end if it is negative; no half of a surrogate pair. */
export function cut(text: string, most: number): string {
  const part = most < 0 ? text.slice(most) : text.slice(0, most);
  return part.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}

/** Every digit is the same. */
export function withoutNumbers(text: string): string {
  return text.replace(/\p{Nd}/gu, '0');
}

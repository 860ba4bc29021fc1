import type { CardFontSet, Weight } from './card-fonts.ts';

/** More are cut off before anything else is done. */
const maxUnits = 1_200;
/** On one letter: Arabic and Vietnamese use two, Hebrew three. */
const maxMarks = 3;

const mark = /^[\p{Mn}\p{Me}]$/u;
const joiner = /^[\u200C\u200D]$/;
const joined = /^[\p{Script=Arabic}\p{Script=Devanagari}]$/u;
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;
const strong = /\p{L}/u;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * The text as it can be drawn: on one line, without control characters and without characters that no font has, such as
 * emoji. Of a character that only its compatibility form can stand for (𝓐 for A), that form.
 * @param maxGraphemes a longer text ends with an ellipsis
 */
export function drawableText(
  text: string,
  fonts: CardFontSet,
  { weight, maxGraphemes }: { readonly weight: Weight; readonly maxGraphemes: number },
): string {
  const line = text.slice(0, maxUnits).normalize('NFC').replace(/\s+/gu, ' ');
  let drawable = '';
  let last = '';
  let marks = 0;
  const add = (character: string) => {
    marks = mark.test(character) ? marks + 1 : 0;
    if (marks > maxMarks || (marks > 0 && !/[\p{L}\p{M}]/u.test(last))) return;
    if (joiner.test(character) && !joined.test(last)) return;
    drawable += character;
    last = character;
  };
  for (const character of line) {
    const forms = canDraw(character, fonts, weight) ? character : character.normalize('NFKC');
    for (const form of forms) if (canDraw(form, fonts, weight)) add(form);
  }
  return clip(drawable.replace(/ +/g, ' ').trim(), maxGraphemes);
}

/** The direction of the first letter. */
export function directionOf(text: string): 'ltr' | 'rtl' {
  return rightToLeft.test(strong.exec(text)?.[0] ?? '') ? 'rtl' : 'ltr';
}

/** Joiners are the only characters of format: the others, such as bidi overrides, would change the card's own text. */
function canDraw(character: string, fonts: CardFontSet, weight: Weight): boolean {
  if (/\p{C}/u.test(character) && !joiner.test(character)) return false;
  return fonts.use(character.codePointAt(0) ?? 0, weight);
}

function clip(text: string, maxGraphemes: number): string {
  let count = 0;
  for (const { index } of graphemes.segment(text)) {
    count += 1;
    if (count > maxGraphemes) return `${text.slice(0, index).trimEnd()}…`;
  }
  return text;
}

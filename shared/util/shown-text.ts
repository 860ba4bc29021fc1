/**
 * Characters that show nothing, or that change the order or the place of others: controls, line separators, bidirectional
 * controls, zero-width characters, tags, fillers, variation selectors.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const picture = /^\p{Extended_Pictographic}$/u;
const joinedPicture = /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u;
/** The scripts whose letters have other forms beside a joiner. */
const joining =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Tibetan}]$/u;

/**
 * Joiners and selectors stay where emoji and scripts need them. Linear.
 * @param replace gives the text for each other character that shows nothing: one code point
 */
export function replaceUnseen(text: string, replace: (character: string) => string): string {
  return text.replace(unseen, (character, at: number) =>
    isNeeded(text, at) ? character : replace(character),
  );
}

/** Whether the character there changes how the one before it is drawn. */
function isNeeded(text: string, at: number): boolean {
  const before = Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? '';
  const after = Array.from(text.slice(at + 1, at + 3))[0] ?? '';
  switch (text[at]) {
    case '\ufe0e':
    case '\ufe0f':
      return picture.test(before) || (/^[#*\d]$/.test(before) && after === '\u20e3');
    case '\u200c':
      return joining.test(before);
    case '\u200d':
      return joining.test(before) || (joinedPicture.test(before) && picture.test(after));
    default:
      return false;
  }
}

/** Text of others on one line of a terminal: U+FFFD stands for each character that shows nothing, also for a line feed. */
export function shownText(text: string): string {
  return replaceUnseen(text, () => '\ufffd');
}

/** JSON in which such characters are escaped: the same value for every reader. @param indent of its lines; unset: one line */
export function shownJson(value: unknown, indent?: number): string {
  return replaceUnseen(JSON.stringify(value, null, indent), (character) =>
    character === '\n' ? character : escapeUnits(character),
  );
}

function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

import { type Html, html } from './html.ts';

/**
 * Characters that show as nothing, or that move others about: controls, direction marks, invisible letters, line
 * separators, lone surrogates. Joiners and variation selectors, which emoji and some scripts need, stay.
 */
const hidden =
  /((?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}])/u;

/** Somebody else's text so that it can pretend nothing: hidden characters by their number, direction kept inside. */
export function visible(text: string): Html {
  const parts = text
    .split(hidden)
    .map((part, i) => (i % 2 === 0 ? part : html`<span class="unseen">${numberOf(part)}</span>`));
  return html`<bdi>${parts}</bdi>`;
}

function numberOf(character: string): string {
  const number = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return `U+${number.padStart(4, '0')}`;
}

/** Private to this file, so parsed JSON can never be taken for markup. */
const markup: unique symbol = Symbol('markup');

/** Markup: made by `html` from constant templates and escaped values. */
export interface Html {
  readonly [markup]: string;
}

/** A value in a template. `null`, `undefined` and `false` write nothing. */
export type Fragment = Html | string | number | null | undefined | false | readonly Fragment[];

/**
 * Markup from a template. Escapes every value that is not markup. The escaping is safe for text and for attributes in
 * double quotes only: never put a value into an unquoted attribute, `<script>` or `<style>`.
 */
export function html(template: TemplateStringsArray, ...values: readonly Fragment[]): Html {
  let text = template[0] ?? '';
  for (const [i, value] of values.entries()) text += toMarkup(value) + (template[i + 1] ?? '');
  return raw(text);
}

/** Marks text as markup without escaping it. Only for our own constants and for sanitized text. */
export function raw(text: string): Html {
  return { [markup]: text };
}

export function toText(fragment: Html): string {
  return fragment[markup];
}

function toMarkup(value: Fragment): string {
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return String(value);
  if (isList(value)) return value.map(toMarkup).join('');
  return value[markup];
}

/** `Array.isArray` does not narrow readonly arrays. */
function isList(value: Html | readonly Fragment[]): value is readonly Fragment[] {
  return Array.isArray(value);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/**
 * Characters that are invisible or change the direction of text: controls, direction marks, invisible letters, line
 * separators, lone surrogates. Joiners and variation selectors are not among them: emoji and some scripts need them.
 */
const invisible =
  /((?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}])/u;

/** Untrusted text: invisible characters are shown as `U+202E`, and its direction stays inside the element. */
export function visible(text: string): Html {
  const parts = text
    .split(invisible)
    .map((part, i) => (i % 2 === 0 ? part : html`<span class="invisible">${codePointOf(part)}</span>`));
  return html`<bdi>${parts}</bdi>`;
}

/** Untrusted text of several lines. */
export function visibleLines(text: string): Html {
  return html`${text.split(/\r\n?|\n/).map((line, i) => html`${i > 0 && html`<br>`}${line !== '' && visible(line)}`)}`;
}

function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

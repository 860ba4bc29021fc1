/** Not reachable from outside, so that nothing parsed or posted can pass for markup. */
const markup: unique symbol = Symbol('markup');

/** Text that is markup: made by `html` from trusted templates and escaped values. */
export interface Html {
  readonly [markup]: string;
}

/** What a template may hold. Nothing, and what a condition leaves behind, writes nothing. */
export type Fragment = Html | string | number | null | undefined | false | readonly Fragment[];

/**
 * Markup from a template. Every value is escaped unless it is markup already, for text and for attributes in
 * quotes; attributes without quotes, and values inside `<script>` or `<style>`, have no safe form: use none.
 */
export function html(template: TemplateStringsArray, ...values: readonly Fragment[]): Html {
  let text = template[0] ?? '';
  for (const [i, value] of values.entries()) text += toMarkup(value) + (template[i + 1] ?? '');
  return raw(text);
}

/** Takes the text as markup, as it is. Only for constants of ours and for what a sanitizer has cleaned. */
export function raw(text: string): Html {
  return { [markup]: text };
}

/** The markup as text, to send. */
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

/** `Array.isArray` does not see readonly arrays. */
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

import type { DefaultTreeAdapterMap, Token } from 'parse5';
import type { Edit } from './edits.ts';

export type Element = DefaultTreeAdapterMap['element'];
type Location = Token.ElementLocation;

/** An element that is written in the document, with where. */
export interface Written {
  readonly element: Element;
  readonly at: Location & {
    readonly startTag: Token.Location;
    readonly attrs: Record<string, Token.Location>;
  };
}

/** By the name that the source has; null: it is not there. */
export function attributeOf({ element }: Written, name: string): string | null {
  const found = element.attrs.find((one) => (one.prefix ? `${one.prefix}:${one.name}` : one.name) === name);
  return found?.value ?? null;
}

/** The attribute with another value. */
export function setAttribute(html: string, { at }: Written, name: string, value: string): Edit[] {
  const place = at.attrs[name];
  if (place === undefined) return [];
  const { startOffset: start, endOffset: end } = place;
  const written = html.slice(start, end).split('=', 1)[0]?.trimEnd();
  return [{ start, end, text: `${written}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"` }];
}

/** The start tag without those attributes, as far as its last one; white space before them goes, too. */
export function startTagWithout(html: string, { at }: Written, names: ReadonlySet<string>): string {
  const kept = Object.entries(at.attrs)
    .filter(([name]) => !names.has(name))
    .map(([, { startOffset, endOffset }]) => html.slice(startOffset, endOffset));
  return kept.map((attribute) => ` ${attribute}`).join('');
}

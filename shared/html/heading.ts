import { visibleText } from './visible-text.ts';

/** In a longer beginning of a document nobody looks for a heading: it is read on the event loop. */
const searchedBytes = 256 * 1024;
const headingCharacters = 1000;
/** Later ones are not read: thousands of empty headings would take a third of a second. */
const mostHeadings = 100;

/** What may contain a heading that is not shown. Without an end it reaches to the end of the text, so the search is linear. */
const hidden = /<!--.*?(?:-->|$)|<(script|style|title|textarea|template)\b.*?(?:<\/\1[^>]*>?|$)/gis;
const headings = /<(h[1-6])\b.*?(<\/\1|$)/gis;

/** The text of the first heading that has any; null: none of the first hundred in 256 KiB has. Linear. */
export function firstHeading(html: Uint8Array): string | null {
  const text = new TextDecoder().decode(html.subarray(0, searchedBytes)).replace(hidden, ' ');
  let count = 0;
  for (const [markup, , end = ''] of text.matchAll(headings)) {
    if (end === '' || ++count > mostHeadings) return null;
    const shown = visibleText(markup.slice(0, -end.length).slice(0, headingCharacters), {
      expired: () => false,
    });
    const line = shown?.replace(/\s+/g, ' ').trim();
    if (line) return line;
  }
  return null;
}

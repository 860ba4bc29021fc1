import { visibleText } from './visible-text.ts';

/** In a longer beginning of a document nobody looks for a heading: it is read on the event loop. */
const searchedBytes = 256 * 1024;
const headingCharacters = 1000;
/** Later ones are not read: thousands of empty headings would take a third of a second. */
const mostHeadings = 100;

/** What may contain a heading that is not shown. Without an end it reaches to the end of the text, so the search is linear. */
const hidden = /<(?:!--|(script|style|title|textarea|template)\b)/gi;
const ends = new Map([
  ['', /-->/g],
  ['script', /<\/script[^>]*>?/gi],
  ['style', /<\/style[^>]*>?/gi],
  ['title', /<\/title[^>]*>?/gi],
  ['textarea', /<\/textarea[^>]*>?/gi],
  ['template', /<\/template[^>]*>?/gi],
]);
/** Of whatever level: browsers let any of them end the heading. */
const headings = /<h[1-6]\b.*?(<\/h[1-6]|$)/gis;

/** The text of the first heading that has any; null: none of the first hundred in 256 KiB has. Linear. */
export function firstHeading(html: Uint8Array): string | null {
  const text = withoutHidden(new TextDecoder().decode(html.subarray(0, searchedBytes)));
  let count = 0;
  for (const [markup, end = ''] of text.matchAll(headings)) {
    if (end === '' || ++count > mostHeadings) return null;
    const shown = visibleText(markup.slice(0, -end.length).slice(0, headingCharacters), {
      expired: () => false,
    });
    const line = shown?.replace(/\s+/g, ' ').trim();
    if (line) return line;
  }
  return null;
}

function withoutHidden(text: string): string {
  let shown = '';
  let at = 0;
  for (;;) {
    hidden.lastIndex = at;
    const found = hidden.exec(text);
    const end = found && ends.get(found[1]?.toLowerCase() ?? '');
    if (!end) return shown + text.slice(at);
    shown += `${text.slice(at, found.index)} `;
    end.lastIndex = hidden.lastIndex;
    if (!end.test(text)) return shown;
    at = end.lastIndex;
  }
}

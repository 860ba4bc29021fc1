import { visibleText } from './visible-text.ts';

/** In a longer beginning of a document nobody looks for a heading: it is read on the event loop. */
const searchedBytes = 256 * 1024;
const headingCharacters = 1000;

/** A heading, or what begins a text that may contain one that is not shown. */
const opening = /<(?:!(--)|(script|style|title|textarea|template)\b|h[1-6]\b)/gi;

/** The text of the first heading that has any; null: there is none in the first 256 KiB. Linear. */
export function firstHeading(html: Uint8Array): string | null {
  const text = new TextDecoder().decode(html.subarray(0, searchedBytes));
  const folded = text.toLowerCase();
  opening.lastIndex = 0;
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const [start, comment, hidden] = found;
    const at = found.index + start.length;
    const end = folded.indexOf(comment ? '-->' : `</${hidden ?? start.slice(1).toLowerCase()}`, at);
    if (end < 0) return null;
    opening.lastIndex = end;
    if (comment || hidden) continue;
    const markup = text.slice(found.index, Math.min(end, found.index + headingCharacters));
    const shown = visibleText(markup, { expired: () => false })
      ?.replace(/\s+/g, ' ')
      .trim();
    if (shown) return shown;
  }
  return null;
}

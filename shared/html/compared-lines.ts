/** A longer line is split: a minified document, or a paragraph, is one line, and its diff would be all of it. */
const maxLength = 300;

/** Where lines are split, the first place that exists. Each pattern is linear. */
const places = {
  /** Before tags; after the statements and rules, then the values and words, of what is still too long. */
  source: [/(?=<)/, /(?<=[;{}])/, /(?<=[,\s])/],
  /** After sentences, then words. */
  text: [/(?<=[.!?;:]\s)/, /(?<=[,\s])/],
} as const;

/** What of two documents is compared. */
export type DiffFormat = keyof typeof places;
export const diffFormats = ['source', 'text'] as const satisfies readonly DiffFormat[];
export const defaultFormat: DiffFormat = 'source';

export interface ComparedDocument {
  /** In the head of the diff. */
  readonly name: string;
  /** UTF-8. */
  readonly html: Uint8Array;
}

/**
 * Compares in a thread, because documents can be hostile. @returns a unified diff, '' if they are the same; null: too slow or
 * too large @throws DropError `unavailable` if the thread failed; never because of the documents
 */
export type CompareDocuments = (
  before: ComparedDocument,
  after: ComparedDocument,
  format: DiffFormat,
) => Promise<string | null>;

/** As in the unified format. It is a part of the last line, which so differs from the same line with a line feed. */
const noLineFeed = '\n\\ No newline at end of file';

/** The lines without line feeds. Where a line is split depends on that line alone, so equal lines have equal parts. */
export function comparedLines(text: string, format: DiffFormat): string[] {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    if (line.length <= maxLength) lines.push(line);
    else for (const part of split(line, places[format])) lines.push(part);
  }
  const last = lines.pop() ?? '';
  if (last !== '') lines.push(last + noLineFeed); // otherwise the text is empty or ends with a line feed
  return lines;
}

function split(line: string, [place, ...others]: readonly RegExp[]): string[] {
  if (line.length <= maxLength || place === undefined) return [line];
  return line.split(place).flatMap((part) => split(part, others));
}

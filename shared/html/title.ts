import { scanHead } from './scan.ts';

export interface TitleLimits {
  /** Unicode code points; a longer title is cut. */
  readonly maxCharacters: number;
  /** Tags, attributes and comments before the title. */
  readonly steps: number;
}

export interface FoundTitle {
  /** null: head has no title with text, or the search stopped at a limit before it. */
  readonly title: string | null;
  /** Whether larger limits, or the rest of the document, would give the same. */
  readonly isFinal: boolean;
}

/**
 * Finds a title in a thread. null: none with text in head before its 20,000th tag, attribute or comment
 * @throws DropError `unavailable` if the search was not completed
 */
export type FindTitle = (html: Uint8Array, maxCharacters: number) => Promise<string | null>;

/** With the first 4 KiB alone, within a few milliseconds for any document. */
const quickBytes = 4 * 1024;
const quickSteps = 300;

/**
 * The first title in head, decoded, its white space collapsed. Slow for hostile documents: never call it on the event loop.
 * @param html UTF-8, with or without a byte order mark
 */
export function findTitle(html: Uint8Array, limits: TitleLimits): FoundTitle {
  return search(html, limits, false);
}

/** Like `findTitle`, in the first 4 KiB: takes at most a few milliseconds, so the event loop may call it. */
export function findTitleQuickly(html: Uint8Array, maxCharacters: number): FoundTitle {
  return search(html.subarray(0, quickBytes), { maxCharacters, steps: quickSteps }, html.length > quickBytes);
}

function search(html: Uint8Array, limits: TitleLimits, isPartial: boolean): FoundTitle {
  const { maxCharacters, steps } = limits;
  let title = '';
  let hasEnded = false;
  const scan = scanHead(new TextDecoder().decode(html), {
    steps,
    isPartial,
    onTitle(piece) {
      if (piece !== null) title = (title + piece).replace(/\s+/g, ' ').trimStart();
      hasEnded = (piece === null && title !== '') || title.length > 2 * maxCharacters;
      return hasEnded;
    },
  });
  const isFinal = hasEnded || scan.stop === 'body'; // the end of a document creates body, too
  return { title: isFinal ? cut(title, maxCharacters) || null : null, isFinal };
}

function cut(title: string, maxCharacters: number): string {
  return [...title].slice(0, maxCharacters).join('').trimEnd();
}

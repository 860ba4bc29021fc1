import { visibleText } from './visible-text.ts';

/**
 * Looks for quotes in the visible text of a document, in a thread, because both can be hostile. White space does not count: in
 * a browser, the text of two blocks or cells may be joined with or without any.
 * @param html UTF-8 @returns whether each quote is in it; null: too slow or too large
 * @throws DropError `unavailable` if the thread failed; never because of the document
 */
export type FindQuotes = (html: Uint8Array, quotes: readonly string[]) => Promise<boolean[] | null>;

export interface QuotesTask {
  readonly html: Uint8Array;
  readonly quotes: readonly string[];
  readonly budgetMs: number;
}

/** The work of `FindQuotes`. null: it takes longer than the budget. */
export function findQuotes({ html, quotes, budgetMs }: QuotesTask): boolean[] | null {
  const end = performance.now() + budgetMs;
  const expired = () => performance.now() >= end;
  const text = visibleText(new TextDecoder('utf-8', { ignoreBOM: true }).decode(html), { expired });
  if (text === null) return null;
  const searched = withoutSpace(text);
  const found: boolean[] = [];
  for (const quote of quotes) {
    if (expired()) return null;
    found.push(searched.includes(withoutSpace(quote)));
  }
  return found;
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}

import { describe, type Quote } from './anchor.ts';
import type { PageText } from './page-text.ts';

/** What the reader has selected; null: nothing. */
export function selectedQuote(page: PageText): (Quote & { position: number }) | null {
  const selection = getSelection();
  const range = selection === null || selection.rangeCount === 0 ? null : selection.getRangeAt(0);
  if (range === null || range.collapsed) return null;
  const start = page.positionOf(range.startContainer, range.startOffset);
  const end = page.positionOf(range.endContainer, range.endOffset);
  return start < end ? describe(page, start, end) : null;
}

import { announce } from '../shared/announce.ts';
import type { SelectedQuote } from './messages.ts';

/** What the reader has selected in the page. */
export interface Selected {
  /** null: nothing, or what cannot be quoted. The comment is about the whole page. */
  readonly quote: SelectedQuote | null;
  readonly isUnquotable: boolean;
}

export const nothingSelected: Selected = { quote: null, isUnquotable: false };

/** Where the text of a new comment is written. null: the page of comments has no form for one. */
export function textAreaOf(page: Document | null | undefined): HTMLTextAreaElement | null {
  return page?.querySelector<HTMLTextAreaElement>('.new-comment textarea') ?? null;
}

/** Shows in the form what the comment will be about, and sends it with the form. */
export function showSelected(page: Document | null | undefined, { quote, isUnquotable }: Selected): void {
  const form = textAreaOf(page)?.form;
  const about = form?.querySelector<HTMLElement>('.about');
  const shown = about?.querySelector('.quote');
  const refusal = form?.querySelector<HTMLElement>('[data-unquotable]');
  if (form == null || about == null || shown == null || refusal == null) return;
  for (const name of ['quote', 'prefix', 'suffix', 'position'] as const) {
    const input = form.querySelector<HTMLInputElement>(`input[name=${name}]`);
    if (input !== null) input.value = String(quote?.[name] ?? '');
  }
  const standing = form.querySelector<HTMLInputElement>('input[name=standing]');
  if (standing !== null) standing.value = JSON.stringify(quote?.standing ?? null);
  shown.textContent = quote?.quote ?? '';
  about.hidden = quote === null;
  if (isUnquotable && refusal.hidden) announce(refusal.textContent ?? '');
  refusal.hidden = !isUnquotable;
}

/** Shows the button that takes the quote out of the form. */
export function offerWholePage(page: Document): void {
  const button = page.querySelector<HTMLElement>('[data-unquote]');
  if (button !== null) button.hidden = false;
}

import type { CredentialPosition } from '../../shared/credentials/credential-stores.ts';
import { type Html, html } from '../html/html.ts';

const pattern = /^(\d{1,15})-([0-9a-f]{12})$/;

/** A position in the list of an account's tokens, for an address: `1795272214339-0123456789ab`. */
export function cursorOf({ createdAt, id }: CredentialPosition): string {
  return `${createdAt}-${id}`;
}

/** null: the text is no cursor. */
export function readCursor(text: unknown): CredentialPosition | null {
  const [, createdAt, id] = typeof text === 'string' ? (pattern.exec(text) ?? []) : [];
  return createdAt === undefined || id === undefined ? null : { createdAt: Number(createdAt), id };
}

/** Links to the other parts of a list of tokens. @param after where the shown part begins @param path of the page, `/account` */
export function tokenPagination(
  path: string,
  after: CredentialPosition | null,
  next: CredentialPosition | null,
): Html | null {
  if (after === null && next === null) return null;
  const link = (rel: string, href: string, text: string) =>
    html`<a class="button quiet small" rel="${rel}" href="${href}#tokens">${text}</a>`;
  return html`<nav class="pagination" aria-label="Tokens">${after !== null && link('first', path, 'Newest')}
${next !== null && link('next', `${path}?tokens=${cursorOf(next)}`, 'Older')}</nav>`;
}

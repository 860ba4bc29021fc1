import { type Html, html } from './html.ts';

/**
 * What the last form has done, above the page that it led to: `?notice=deleted`.
 * @param key the value of `notice` in the query; unknown keys and several show nothing
 * @param texts the notices that the page knows
 */
export function noticeFor(key: unknown, texts: Readonly<Record<string, string | Html>>): Html | null {
  if (typeof key !== 'string' || !Object.hasOwn(texts, key)) return null;
  return html`<p class="notice" role="status">${texts[key]}</p>`;
}

import { type Html, html } from './html.ts';

/**
 * A moment. Without scripts its text is UTC; the shared script (browser/shared/times.ts) shows it in the viewer's zone.
 * @param ms Unix milliseconds
 * @param options.relative the script shows `3 hours ago`
 */
export function timeTag(ms: number, { relative = false }: { relative?: boolean } = {}): Html {
  const iso = new Date(ms).toISOString();
  const [date, time] = [iso.slice(0, 10), iso.slice(11, 19)];
  return html`<time datetime="${iso}" title="${date} ${time} UTC"${relative && html` data-relative`}>${date} ${time.slice(0, 5)} UTC</time>`;
}

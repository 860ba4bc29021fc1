import { type Html, html } from './html.ts';

/** A button that copies the text. It stays hidden without the shared script (browser/shared/copy.ts). */
export function copyButton(text: string, label = 'Copy'): Html {
  return html`<button type="button" class="quiet small" data-copy="${text}" hidden>${label}</button>`;
}

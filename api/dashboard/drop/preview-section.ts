import { type Html, html } from '../../html/html.ts';
import type { Preview } from '../../pages/frame.ts';

const widths = [
  { key: 'full', name: 'Full' },
  { key: 'tablet', name: 'Tablet' },
  { key: 'phone', name: 'Phone' },
] as const;

/**
 * The drop in a frame. The style sheet gives the frame the width that is chosen, so this needs no script.
 * @param preview null: there is nothing to show
 */
export function previewSection(preview: Preview | null): Html | null {
  if (preview === null) return null;
  return html`<section class="panel preview" aria-labelledby="preview-title">
<div class="panel-head"><h2 id="preview-title">Preview</h2>
<fieldset class="segments"><legend class="visually-hidden">Width of the preview</legend>
${widths.map(
  ({ key, name }, i) =>
    html`<label><input class="visually-hidden" type="radio" name="preview" value="${key}"${i === 0 && html` checked`}>${name}</label>
`,
)}</fieldset></div>
<div class="stage"><iframe src="${preview.src}" title="Preview of the page" sandbox="${preview.sandbox}" referrerpolicy="no-referrer"></iframe></div>
</section>`;
}

import { isRestricted } from '../../../shared/drops/access.ts';
import type { Drop } from '../../../shared/drops/drop.ts';
import { copyButton } from '../../html/elements.ts';
import { type Html, html, toText } from '../../html/html.ts';
import { pagePartPath, pageUrl, rawPath } from '../../http/paths.ts';
import { sandbox } from '../../pages/raw-headers.ts';

/** The ways to pass a drop on: its address, a QR code, code for other pages. */
export function linkSection(drop: Drop, baseUrl: string): Html {
  const url = pageUrl(baseUrl, drop.slug);
  const qrPath = pagePartPath(drop.slug, 'qr.svg');
  return html`<section class="panel" aria-labelledby="link-title">
<h2 id="link-title">Link</h2>
<p class="copyable"><a class="target" href="${url}">${url}</a>${copyButton(url)}</p>
<details class="more"><summary>QR code</summary>
<p><a href="${qrPath}"><img class="qr" src="${qrPath}" alt="QR code of the address" width="176" height="176" loading="lazy"></a></p>
<p class="small"><a href="${qrPath}">Open the QR code alone</a> to enlarge, save or print it.</p>
</details>
<details class="more"><summary>Embed in another page</summary>
${embedding(drop, baseUrl)}
</details>
</section>`;
}

function embedding(drop: Drop, baseUrl: string): Html {
  if (isRestricted(drop)) return restrictedNote;
  return drop.locked ? lockedNote : embedField(embedCode(drop, baseUrl));
}

const lockedNote = html`<p class="small soft">A page with a passcode cannot be embedded. Link to it instead.</p>`;
const restrictedNote = html`<p class="small soft">Embedded in a page of another site it shows nothing to visitors: their browsers do not say there who they are. Link to it instead.</p>`;

function embedField(code: string): Html {
  return html`<label for="embed">HTML for your page</label>
<textarea class="code" id="embed" rows="5" readonly spellcheck="false" aria-describedby="embed-hint">
${code}</textarea>
<p class="hint" id="embed-hint">It always shows the latest version. Embedded pages count no views.</p>
<p>${copyButton(code, 'Copy the code')}</p>`;
}

/** Markup for a page of another site. There the title is an attribute, so it is escaped here too. */
function embedCode({ slug, title }: Drop, baseUrl: string): string {
  const src = baseUrl + rawPath(slug);
  return toText(
    html`<iframe src="${src}" title="${title}" sandbox="${sandbox}" width="100%" height="600" loading="lazy"></iframe>`,
  );
}

import { envelopeData, errorText, fieldState, formError } from '../html/error-page.ts';
import { html } from '../html/html.ts';
import type { PageParts } from '../html/layout.ts';
import type { ErrorEnvelope } from '../http/http-error.ts';
import { lockedSocialTags } from './social-tags.ts';

/** GET /p/{slug} of a locked drop. It shows nothing of the drop: neither title nor description nor context. */
export function passcodePage(parts: {
  /** The page's own path with its query. */
  readonly action: string;
  readonly baseUrl: string;
  readonly slug: string;
  /** The error of the last attempt. */
  readonly envelope?: ErrorEnvelope;
}): PageParts {
  const { action, baseUrl, slug, envelope } = parts;
  return {
    title: 'Passcode',
    head: html`${lockedSocialTags(baseUrl, slug)}${envelope && envelopeData(envelope)}`,
    body: html`<h1>Enter the passcode</h1>
<p class="soft">The owner protected this page with a passcode.</p>
<form method="post" action="${action}">
${formError(envelope && errorText(envelope.error))}
<label for="passcode">Passcode</label>
<input id="passcode" name="passcode" type="password" required autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false"${envelope === undefined ? html` autofocus` : fieldState(true)}>
<button type="submit">Show page</button>
</form>`,
    policy: { 'frame-ancestors': "'self'" },
  };
}

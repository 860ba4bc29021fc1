import type { DropError } from '../../shared/domain/errors.ts';
import { fieldState, formError } from '../html/forms.ts';
import { html } from '../html/html.ts';
import type { PageParts } from '../html/layout.ts';
import { lockedSocialTags } from './social-tags.ts';

/** GET /p/{slug} of a locked drop. It shows nothing of the drop: neither title nor description nor context. */
export function passcodePage(parts: {
  /** The page's own path with its query. */
  readonly action: string;
  readonly baseUrl: string;
  readonly slug: string;
  /** The error of the last attempt. */
  readonly error?: DropError;
}): PageParts {
  const { action, baseUrl, slug, error } = parts;
  return {
    title: 'Passcode',
    error,
    head: lockedSocialTags(baseUrl, slug),
    body: html`<h1>Enter the passcode</h1>
<p class="soft">The owner protected this page with a passcode.</p>
<form method="post" action="${action}">
${formError(error)}
<label for="passcode">Passcode</label>
<input id="passcode" name="passcode" type="password" required autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false"${error === undefined ? html` autofocus` : fieldState(true)}>
<button type="submit">Show page</button>
</form>`,
    policy: { 'frame-ancestors': "'self'" },
  };
}

import { envelopeData } from '../html/envelope.ts';
import { html } from '../html/html.ts';
import { page, policyOf } from '../html/layout.ts';
import { waitText } from '../html/wait.ts';
import type { ErrorEnvelope } from '../http/http-error.ts';

/** The gate before a locked drop. Says nothing of the drop: neither title nor description nor context. */
export function passcodePage(parts: {
  /** The page's own path, its `?v` included. */
  readonly action: string;
  /** What was wrong with the last try; absent on the first. */
  readonly envelope?: ErrorEnvelope;
}): { html: string; csp: string } {
  const { action, envelope } = parts;
  const fault = envelope && faultText(envelope);
  const form = page({
    title: 'Passcode',
    ...(envelope && { head: envelopeData(envelope) }),
    body: html`<h1>Enter the passcode</h1>
<p class="soft">Whoever shared this page protected it with a passcode.</p>
<form method="post" action="${action}">
${fault && html`<p class="notice bad" id="fault" role="alert">${fault}</p>`}
<label for="passcode">Passcode</label>
<input id="passcode" name="passcode" type="password" required autofocus autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false"${fault && html` aria-invalid="true" aria-describedby="fault"`}>
<button type="submit">Show the page</button>
</form>`,
  });
  return { html: form.html, csp: policyOf(form, { 'form-action': "'self'", 'frame-ancestors': "'self'" }) };
}

function faultText({ error }: ErrorEnvelope): string {
  if (error.code === 'passcode_required') return 'That is not the passcode. Try again.';
  if (error.code === 'rate_limited') {
    return `Too many wrong passcodes were entered. Wait ${waitText(error.details?.retry_after_seconds) ?? 'a few minutes'}, then try again.`;
  }
  return error.message;
}

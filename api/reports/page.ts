import { type ReportReason, reportReasons } from '../../shared/domain/report.ts';
import { envelopeData, errorText, fieldState, formError } from '../html/error-page.ts';
import { type Html, html } from '../html/html.ts';
import { type HtmlPage, page } from '../html/layout.ts';
import type { ErrorEnvelope } from '../http/http-error.ts';

/** GET /report/{slug}. It shows nothing of the page but its address: the title of a locked page is secret. */
export function reportFormPage(parts: {
  /** The page's public address, absolute. */
  readonly url: string;
  readonly action: string;
  /** The report's id: the same form sent twice is one report. */
  readonly id: string;
  readonly maxCharacters: number;
  readonly contactMaxCharacters: number;
  /** The fields as they were sent, if an error is shown. */
  readonly filled?: { readonly reason: string; readonly text: string; readonly contact: string };
  readonly envelope?: ErrorEnvelope;
}): HtmlPage {
  const { url, action, id, maxCharacters, contactMaxCharacters, filled, envelope } = parts;
  const isInvalid = (field: string) => envelope?.error.details?.field === field;
  return layOut('Report a page', {
    ...(envelope && { head: envelopeData(envelope) }),
    body: html`<h1>Report this page</h1>
<p class="reported"><code>${url}</code></p>
<form method="post" action="${action}">
${formError(envelope && errorText(envelope.error))}
<input type="hidden" name="id" value="${id}">
<fieldset${isInvalid('reason') && html` aria-describedby="fault"`}>
<legend>What is wrong with this page?</legend>
${reportReasons.map((reason) => radio(reason, filled?.reason === reason))}
</fieldset>
<label for="text">Details</label>
<textarea id="text" name="text" rows="5" maxlength="${maxCharacters}"${fieldState(isInvalid('text'), 'text-hint')}>
${filled?.text}</textarea>
<p class="hint" id="text-hint">Required for “Something else”. If the page uses your work, link to the original.</p>
<label for="contact">Your email address or phone number (optional)</label>
<input id="contact" name="contact" type="text" value="${filled?.contact}" maxlength="${contactMaxCharacters}" autocomplete="email"
  autocapitalize="none" spellcheck="false"${fieldState(isInvalid('contact'), 'contact-hint')}>
<p class="hint" id="contact-hint">The operators use it to answer you. The report does not contain your IP address.</p>
<button type="submit">Send report</button>
</form>`,
  });
}

/** The page after a report was sent. @param isStored false if the page already has the maximum of open reports */
export function reportSentPage(isStored: boolean): HtmlPage {
  return isStored
    ? layOut('Report sent', {
        body: html`<h1>Report sent</h1>
<p>Thank you. The operators of this service have received your report. You can close this page.</p>`,
      })
    : layOut('Already reported', {
        body: html`<h1>Already reported</h1>
<p>The operators of this service already have many reports about this page, so yours was not stored. You can close this
page.</p>`,
      });
}

function layOut(title: string, parts: { body: Html; head?: Html }): HtmlPage {
  return page({ title, css: reportStyle, policy: { 'form-action': "'self'" }, ...parts });
}

const labels: Readonly<Record<ReportReason, string>> = {
  phishing: 'It imitates another site to steal passwords or money',
  malware: 'It spreads malware',
  illegal: 'It breaks the law',
  copyright: 'It uses my work without permission',
  privacy: 'It publishes private information',
  other: 'Something else',
};

function radio(reason: ReportReason, isChecked: boolean): Html {
  return html`<label class="choice"><input type="radio" name="reason" value="${reason}" required${isChecked && html` checked`}>
<span>${labels[reason]}</span></label>
`;
}

const reportStyle = `
.reported { color: var(--soft); font-size: .875rem; overflow-wrap: anywhere; }
fieldset { margin: 0 0 1.25rem; padding: 0; border: 0; min-width: 0; }
legend { margin-bottom: .375rem; padding: 0; font-size: .875rem; font-weight: 600; }
.choice { display: flex; align-items: flex-start; gap: .75rem; margin: 0; padding: .625rem 0; border-bottom: 1px solid var(--line); font-size: .9375rem; font-weight: 400; line-height: 1.4; cursor: pointer; }
.choice input { flex: none; width: 1.125rem; height: 1.125rem; min-height: 0; margin: .1rem 0 0; padding: 0; accent-color: var(--leaf); }
textarea { display: block; width: 100%; min-height: 7rem; margin-bottom: 1rem; padding: .5rem .75rem; font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--field); border-radius: 10px; resize: vertical; }
textarea:focus-visible { outline-offset: 0; border-color: transparent; }
textarea[aria-invalid="true"] { border-color: var(--bad); }
`;

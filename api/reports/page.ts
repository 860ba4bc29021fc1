import type { DropError } from '../../shared/domain/errors.ts';
import { type ReportReason, reportReasons } from '../../shared/domain/report.ts';
import { fieldState, formError } from '../html/forms.ts';
import { type Html, html } from '../html/html.ts';
import type { PageParts } from '../html/layout.ts';

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
  readonly error?: DropError;
}): PageParts {
  const { url, action, id, maxCharacters, contactMaxCharacters, filled, error } = parts;
  const isInvalid = (field: string) => error?.details?.field === field;
  return layOut('Report a page', {
    error,
    body: html`<h1>Report this page</h1>
<p class="reported"><code>${url}</code></p>
<form method="post" action="${action}">
${formError(error)}
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
export function reportSentPage(isStored: boolean): PageParts {
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

function layOut(title: string, parts: Pick<PageParts, 'body' | 'error'>): PageParts {
  return { title, styles: ['report'], ...parts };
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

import { type ReportReason, reportReasons } from '../../shared/domain/report.ts';
import { envelopeData } from '../html/envelope.ts';
import { type Html, html } from '../html/html.ts';
import { page, policyOf } from '../html/layout.ts';
import { waitText } from '../html/wait.ts';
import type { ErrorEnvelope } from '../http/http-error.ts';
import { reportStyle } from './style.ts';

interface OurPage {
  readonly html: string;
  readonly csp: string;
}

/** What somebody has filled in so far; absent on the first. */
interface Filled {
  readonly reason: string;
  readonly text: string;
  readonly contact: string;
  readonly envelope: ErrorEnvelope;
}

/**
 * GET /report/{slug}: tells those who run the service of a page. Says nothing of the page but its address, which
 * whoever is here has: a locked one's title is a secret.
 */
export function reportPage(parts: {
  /** The page's public address, absolute. */
  readonly url: string;
  readonly action: string;
  /** The report's id: the same form sent twice is one report. */
  readonly id: string;
  readonly maxCharacters: number;
  readonly contactMaxCharacters: number;
  readonly filled?: Filled;
}): OurPage {
  const { url, action, id, maxCharacters, contactMaxCharacters, filled } = parts;
  const faulty = filled && faultyField(filled.envelope);
  const describedBy = (field: string, hint: string) =>
    html` aria-describedby="${faulty === field && 'fault '}${hint}"${faulty === field && html` aria-invalid="true"`}`;
  return ourPage('Report a page', {
    ...(filled && { head: envelopeData(filled.envelope) }),
    body: html`<h1>Report this page</h1>
<p class="reported"><code>${url}</code></p>
<form method="post" action="${action}">
${filled && html`<p class="notice bad" id="fault" role="alert">${faultText(filled.envelope)}</p>`}
<input type="hidden" name="id" value="${id}">
<fieldset${faulty === 'reason' && html` aria-describedby="fault"`}>
<legend>What is wrong with it?</legend>
${reportReasons.map((reason) => choice(reason, filled?.reason === reason))}
</fieldset>
<label for="text">In your words</label>
<textarea id="text" name="text" rows="5" maxlength="${maxCharacters}"${describedBy('text', 'text-hint')}>
${filled?.text}</textarea>
<p class="hint" id="text-hint">Needed where it is something else. For your own work, say where the original is.</p>
<label for="contact">How to reach you</label>
<input id="contact" name="contact" type="text" value="${filled?.contact}" maxlength="${contactMaxCharacters}" autocomplete="email"
  autocapitalize="none" spellcheck="false"${describedBy('contact', 'contact-hint')}>
<p class="hint" id="contact-hint">Only if you want an answer. Your network address is not kept with the report.</p>
<button type="submit">Send the report</button>
</form>`,
  });
}

/** Where a report that was sent leads. @param isKept false: the page has enough open reports already */
export function reportedPage(isKept: boolean): OurPage {
  return isKept
    ? ourPage('Reported', {
        body: html`<h1>Thank you</h1>
<p>Your report was sent to those who run this service. You can close this page.</p>`,
      })
    : ourPage('Reported already', {
        body: html`<h1>Reported already</h1>
<p>This page has been reported many times, and those who run this service have the reports. Yours was not added to
them. You can close this page.</p>`,
      });
}

function ourPage(title: string, parts: { body: Html; head?: Html }): OurPage {
  const whole = page({ title, css: reportStyle, ...parts });
  return { html: whole.html, csp: policyOf(whole, { 'form-action': "'self'" }) };
}

const words: Readonly<Record<ReportReason, string>> = {
  phishing: 'It pretends to be somebody else, to get passwords or money',
  malware: 'It spreads harmful software',
  illegal: 'It breaks the law',
  copyright: 'It uses my work without permission',
  privacy: 'It shows private things about somebody',
  other: 'Something else',
};

function choice(reason: ReportReason, isChosen: boolean): Html {
  return html`<label class="choice"><input type="radio" name="reason" value="${reason}" required${isChosen && html` checked`}>
<span>${words[reason]}</span></label>
`;
}

function faultyField({ error }: ErrorEnvelope): unknown {
  return error.details?.field;
}

function faultText({ error }: ErrorEnvelope): string {
  const wait = waitText(error.details?.retry_after_seconds);
  if (error.code !== 'rate_limited') return error.message;
  return `Too many reports were sent. Wait ${wait ?? 'an hour'}, then try again.`;
}

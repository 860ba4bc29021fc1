import type { Request, Response } from 'express';
import { object, string } from 'yup';
import { commentIdPattern } from '../../shared/comments/comment.ts';
import type { DropError } from '../../shared/domain/errors.ts';
import { randomBase62 } from '../../shared/domain/ids.ts';
import type { Page } from '../../shared/drops/drop.ts';
import {
  type Complaint,
  type ReportReason,
  reportIdLength,
  reportIdPattern,
  reportReasons,
} from '../../shared/reports/report.ts';
import { fieldState, formError } from '../html/forms.ts';
import { type Html, html } from '../html/html.ts';
import type { PageParts } from '../html/layout.ts';
import { visitorOf } from '../http/client-address.ts';
import { readSlug, toPositiveInteger } from '../http/parameters.ts';
import { pagePath, pageUrl, reportPath } from '../http/paths.ts';
import { open, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { type Form, orAgain, show } from '../http/show.ts';
import { atMostCharacters, invalid, textField, validate } from '../http/validate.ts';
import { orToViewer, requireRight } from '../pages/gate.ts';
import { refuseTakenDown } from '../pages/public-page.ts';

const contactMaxCharacters = 200;

/** Readers report a page to the operators (docs/decisions/reports.md). */
export function reportRoutes({ services, readForm, layout }: RouteParts): readonly Route[] {
  const { pages, comments, reports, config } = services;
  const maxCharacters = config.REPORT_MAX_CHARACTERS;
  const readReport = createReportReader(maxCharacters);
  const formBytes = reportFormBytes(maxCharacters);

  /** A locked page, and a comment on it, can be reported without its passcode. @throws DropError `not_found`; as `requireRight` */
  async function findPage(req: Request, res: Response): Promise<Page> {
    res.setHeader('Cache-Control', 'private, no-store');
    const page = await pages.find(readSlug(req), versionOf(req));
    await requireRight(services, page, req);
    refuseTakenDown(page);
    const commentId = commentOf(req);
    if (commentId !== null) await comments.find(page, commentId);
    return page;
  }

  function partsOf(req: Request, page: Page, id: string) {
    const commentId = commentOf(req);
    const action = reportPath(page.slug, versionOf(req), commentId);
    const what = commentId === null ? ('page' as const) : ('comment' as const);
    return {
      action,
      what,
      id,
      url: pageUrl(config.BASE_URL, page.slug),
      maxCharacters,
      contactMaxCharacters,
    };
  }

  async function showForm(req: Request, res: Response): Promise<void> {
    const page = await findPage(req, res);
    const { sent } = req.query;
    const shown =
      sent === 'kept' || sent === 'enough'
        ? reportSentPage(page.slug, sent === 'kept')
        : reportFormPage(partsOf(req, page, randomBase62(reportIdLength)));
    show(res, shown, layout.page);
  }

  return [
    open('GET', '/report/:slug', orToViewer(showForm)),

    open('POST', '/report/:slug', async (req, res) => {
      const page = await findPage(req, res);
      const form = await readForm(req, formBytes);
      const submit = async () => {
        const { id, complaint } = readReport(form);
        const isStored = await reports.submit(
          page,
          id,
          { ...complaint, commentId: commentOf(req) },
          visitorOf(req.ip),
        );
        return `${reportPath(page.slug, null)}?sent=${isStored ? 'kept' : 'enough'}`;
      };
      const shown = await orAgain(req, submit, (error) => {
        const field = (name: string) => form.get(name) ?? '';
        const filled = { reason: field('reason'), text: field('text'), contact: field('contact') };
        return reportFormPage({ ...partsOf(req, page, idOf(form)), filled, error });
      });
      show(res, shown, layout.page);
    }),
  ];
}

/** @returns null for the latest version, also if `v` is not a version number */
function versionOf(req: Request): number | null {
  const { v } = req.query;
  return typeof v === 'string' ? toPositiveInteger(v) : null;
}

/** The comment that is reported; null: the page is. */
function commentOf({ query: { comment } }: Request): string | null {
  return typeof comment === 'string' && commentIdPattern.test(comment) ? comment : null;
}

/** The id in the form. A person who sends the form again after a late answer does not store a second report. */
function idOf(form: Form): string {
  const id = form.get('id') ?? '';
  return reportIdPattern.test(id) ? id : randomBase62(reportIdLength);
}

/** A character has at most 4 bytes, each of them sent as `%XX`; a line break is sent as two characters. */
export function reportFormBytes(textMaxCharacters: number): number {
  return 12 * (textMaxCharacters + contactMaxCharacters) + 1024;
}

/** @returns a function that reads the fields of the form, a missing one as empty. It throws DropError `invalid_arg` */
function createReportReader(textMaxCharacters: number) {
  const chooseReason = invalid('Choose a reason.');
  const schema = object({
    id: textField('id')
      .matches(reportIdPattern, {
        message: invalid('The form is incomplete. Reload the page.'),
        name: 'report-id',
      })
      .defined(),
    reason: string<ReportReason>().oneOf(reportReasons, chooseReason).required(chooseReason),
    text: textField('text')
      .defined()
      .test(atMostCharacters('invalid_arg', 'text', textMaxCharacters))
      .when('reason', ([reason], field) =>
        reason === 'other' ? field.required(invalid('Describe the problem.')) : field,
      ),
    contact: textField('contact')
      .defined()
      .test(atMostCharacters('invalid_arg', 'contact', contactMaxCharacters)),
  });

  return (form: Form): { id: string; complaint: Omit<Complaint, 'commentId'> } => {
    const { id, reason, ...rest } = validate(schema, {
      id: form.get('id') ?? '',
      reason: form.get('reason') ?? '',
      text: normalize(form.get('text')),
      contact: normalize(form.get('contact')),
    });
    return { id, complaint: { reason, text: rest.text, contact: rest.contact || null } };
  };
}

/** Browsers send a line break as CR LF. */
function normalize(value: string | undefined): string {
  return (value ?? '').replace(/\r\n?/g, '\n').trim();
}

/** GET /report/{slug}. It shows nothing of the page but its address: the title of a locked page is secret. */
export function reportFormPage(parts: {
  readonly url: string;
  /** A comment is on the page of that address. */
  readonly what: 'page' | 'comment';
  readonly action: string;
  /** The report's id: the same form sent twice is one report. */
  readonly id: string;
  readonly maxCharacters: number;
  readonly contactMaxCharacters: number;
  /** The fields as they were sent, if an error is shown. */
  readonly filled?: { readonly reason: string; readonly text: string; readonly contact: string };
  readonly error?: DropError;
}): PageParts {
  const { url, what, action, id, maxCharacters, contactMaxCharacters, filled, error } = parts;
  const isInvalid = (field: string) => error?.details?.field === field;
  return layOut(`Report a ${what}`, {
    error,
    body: html`<h1>Report this ${what}</h1>
<p class="reported">${what === 'comment' && 'A comment on '}<code>${url}</code></p>
<form method="post" action="${action}">
${formError(error)}
<input type="hidden" name="id" value="${id}">
<fieldset${isInvalid('reason') && html` aria-describedby="fault"`}>
<legend>What is wrong with this ${what}?</legend>
${reportReasons.map((reason) => radio(reason, filled?.reason === reason))}
</fieldset>
<label for="text">Details</label>
<textarea id="text" name="text" rows="5" maxlength="${maxCharacters}"${fieldState(isInvalid('text'), 'text-hint')}>
${filled?.text}</textarea>
<p class="hint" id="text-hint">Required for “Something else”. If it uses your work, link to the original.</p>
<label for="contact">Your email address or phone number (optional)</label>
<input id="contact" name="contact" type="text" value="${filled?.contact}" maxlength="${contactMaxCharacters}" autocomplete="email"
  autocapitalize="none" spellcheck="false"${fieldState(isInvalid('contact'), 'contact-hint')}>
<p class="hint" id="contact-hint">The operators use it to answer you. The report does not contain your IP address.</p>
<button type="submit">Send report</button>
</form>`,
  });
}

/** The page after a report was sent. @param isStored false if the page already has the maximum of open reports */
function reportSentPage(slug: string, isStored: boolean): PageParts {
  const back = html`<p><a href="${pagePath(slug)}">Back to the page</a></p>`;
  return isStored
    ? layOut('Report sent', {
        body: html`<h1>Report sent</h1>
<p>Thank you. The operators of this service have received your report.</p>
${back}`,
      })
    : layOut('Already reported', {
        body: html`<h1>Already reported</h1>
<p>The operators of this service already have many reports about this page, so yours was not stored.</p>
${back}`,
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

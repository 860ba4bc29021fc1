import type { Request, Response } from 'express';
import { object } from 'yup';
import { DropError } from '../../shared/domain/errors.ts';
import { reasonMaxCharacters } from '../../shared/domain/moderation.ts';
import type { Operator } from '../../shared/services/moderation.ts';
import { fieldState, formError } from '../html/error-page.ts';
import { type Html, html } from '../html/html.ts';
import type { Layout } from '../html/layout.ts';
import { isNavigation } from '../http/answer-error.ts';
import type { Session } from '../http/session.ts';
import { atMostCharacters, invalid, text, validate } from '../http/validate.ts';
import { type Form, nameOf } from './access.ts';
import { createSender, type Gone, type OperatorPage } from './parts.ts';

/** What the page of an act says, for what the act is about as it is now. */
export interface ActPage {
  /** A question. */
  readonly title: string;
  /** The way back. */
  readonly crumbs: Html;
  /** What will happen, and to what. */
  readonly body: Html;
  readonly button: string;
  readonly isDangerous: boolean;
  /** Who reads the reason: `the log`. */
  readonly readers: string;
  /** Fields beside the reason. */
  readonly fields?: Html | false;
  /** Why there is nothing to do, or the operator must not do it. null: it can be done. */
  readonly refusal: string | null;
  /** Changes if another operator, or the owner, changes what this page says. */
  readonly seen: string;
  /** The path of the page that Cancel leads to. */
  readonly back: string;
}

/** An act of an operator on a page, an account or a report. */
export interface Act {
  readonly target: Gone;
  /** null: there is no such target. Changes nothing. */
  describe(req: Request, session: Session): Promise<ActPage | null>;
  /** Does it. @returns the notice for the page that the act leads to @throws DropError `not_found` */
  perform(req: Request, operator: Operator & { readonly reason: string }, form: Form): Promise<string>;
}

/** The handlers of a page that says what will happen (GET), and does it when its form is sent with a reason (POST). */
export function actHandlers(layout: Layout, act: Act) {
  const { send, sendError, sendGone } = createSender(layout);

  return {
    async ask(req: Request, res: Response, session: Session): Promise<void> {
      const page = await act.describe(req, session);
      if (page === null) sendGone(res, session, act.target);
      else send(res, 200, session, actView(page, session.formField, { reason: '' }));
    },

    /** An error is shown above the form, which is about the target as it is now. */
    async confirm(req: Request, res: Response, session: Session, form: Form): Promise<void> {
      const page = await act.describe(req, session);
      if (page === null) {
        sendGone(res, session, act.target);
        return;
      }
      try {
        if (form.get('seen') !== page.seen) throw changedMeanwhile();
        if (page.refusal !== null) throw new DropError('forbidden', page.refusal);
        const operator = { by: nameOf(session), reason: readReason(form) };
        res.redirect(303, `${page.back}?notice=${await act.perform(req, operator, form)}`);
      } catch (error) {
        if (!(error instanceof DropError) || !isNavigation(req)) throw error;
        const now = await act.describe(req, session);
        if (now === null) sendGone(res, session, act.target);
        else {
          const typed = { reason: form.get('reason') ?? '', error };
          sendError(res, error, session, actView(now, session.formField, typed));
        }
      }
    },
  };
}

const missingReason = invalid('Enter a reason', { field: 'reason' });
const reasonSchema = object({
  reason: text('reason')
    .required(missingReason)
    .test(atMostCharacters('invalid_arg', 'reason', reasonMaxCharacters)),
});

/** In one line, as the commands print it. @throws DropError `invalid_arg` */
function readReason(form: Form): string {
  const reason = (form.get('reason') ?? '').replace(/\s+/g, ' ').trim();
  return validate(reasonSchema, { reason }).reason;
}

function changedMeanwhile(): DropError {
  const message = 'This was changed after you opened the page. Nothing was done. Check what it says now';
  return new DropError('version_conflict', message);
}

function actView(
  page: ActPage,
  formField: Html,
  { reason, error }: { readonly reason: string; readonly error?: DropError },
): OperatorPage {
  const { title, crumbs, body, button, isDangerous, readers, fields, refusal, seen, back } = page;
  const isReason = error?.details?.field === 'reason';
  return {
    tab: null,
    title,
    body: html`${crumbs}
<section class="panel reading"><h1>${title}</h1>
${formError(error && `${error.message}.`)}
${body}
${
  refusal !== null
    ? html`<p>${refusal}.</p>\n<p><a class="button quiet" href="${back}">Back</a></p>`
    : html`<form method="post">${formField}<input type="hidden" name="seen" value="${seen}">
<label for="reason">Reason</label>
<textarea id="reason" name="reason" rows="3" required maxlength="${reasonMaxCharacters}"${fieldState(isReason, 'reason-hint')}>${reason}</textarea>
<p class="hint" id="reason-hint">For ${readers}.</p>
${fields}
<div class="actions"><button${isDangerous && html` class="danger"`}>${button}</button><a class="button quiet" href="${back}">Cancel</a></div></form>`
}</section>`,
  };
}

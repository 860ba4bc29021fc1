import type { Request } from 'express';
import { object } from 'yup';
import { DropError } from '../../shared/domain/errors.ts';
import { reasonMaxCharacters } from '../../shared/moderation/act.ts';
import type { Operator } from '../../shared/moderation/moderation.ts';
import type { Act, Question } from '../dashboard/pages.ts';
import { fieldState } from '../html/forms.ts';
import { type Html, html } from '../html/html.ts';
import type { Session } from '../http/session.ts';
import type { Form } from '../http/show.ts';
import { atMostCharacters, invalid, text, validate } from '../http/validate.ts';
import { type Gone, gonePage, nameOf } from './pages.ts';

/** The page of an act, for what the act is about as it is now. */
export interface ActPage extends Omit<Question, 'refusal' | 'fault' | 'styles'> {
  /** Who reads the reason. Absent: the log. */
  readonly readers?: string;
  /** Why there is nothing to do, or the operator must not do it. */
  readonly refusal?: string | false | undefined;
  /** Changes if another operator, or the owner, changes what this page says. */
  readonly seen: string;
}

/** An act of an operator on a page, an account or a report, for which a reason is required. */
export interface OperatorAct {
  readonly target: Gone;
  /** null: there is no such target. Changes nothing. */
  describe(req: Request, session: Session): Promise<ActPage | null>;
  /** Does it. @returns the notice for the page that the act leads to @throws DropError `not_found` */
  perform(req: Request, operator: Operator & { readonly reason: string }, form: Form): Promise<string>;
}

export function withReason(act: OperatorAct): Act {
  return {
    async ask(req, session, attempt) {
      const page = await act.describe(req, session);
      if (page === null) return gonePage(act.target);
      const { readers = 'the log', refusal, seen, fields, ...question } = page;
      const reason = reasonField(readers, attempt?.form.get('reason'), attempt?.error);
      return {
        ...question,
        refusal: refusal ? `${refusal}.` : null,
        fields: html`<input type="hidden" name="seen" value="${seen}">\n${reason}\n${fields}`,
      };
    },

    async perform(req, _, session, form) {
      const page = await act.describe(req, session);
      if (page === null) return gonePage(act.target);
      if (form.get('seen') !== page.seen) throw changedMeanwhile();
      if (page.refusal) throw new DropError('forbidden', page.refusal);
      const operator = { by: nameOf(session), reason: readReason(form) };
      return `${page.back}?notice=${await act.perform(req, operator, form)}`;
    },
  };
}

function reasonField(readers: string, typed: string | undefined, error: DropError | undefined): Html {
  return html`<label for="reason">Reason</label>
<textarea id="reason" name="reason" rows="3" required maxlength="${reasonMaxCharacters}"${fieldState(error?.details?.field === 'reason', 'reason-hint')}>${typed}</textarea>
<p class="hint" id="reason-hint">For ${readers}.</p>`;
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

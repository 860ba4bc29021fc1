import type { Request } from 'express';
import { object } from 'yup';
import { DropError, notFound } from '../../shared/domain/errors.ts';
import { limitTable } from '../../shared/limits/limit-table.ts';
import { reasonMaxCharacters } from '../../shared/moderation/act.ts';
import { type ActWithReason, actWords } from '../../shared/moderation/act-words.ts';
import type { Operator } from '../../shared/moderation/moderation.ts';
import type { Question, SessionPages } from '../dashboard/pages.ts';
import { fieldState } from '../html/forms.ts';
import { type Html, html } from '../html/html.ts';
import type { Route } from '../http/route.ts';
import type { BrowserSession } from '../http/session.ts';
import type { Form } from '../http/show.ts';
import { atMostCharacters, invalid, textField, validate } from '../http/validate.ts';
import { nameOf } from './pages.ts';

/** The page of an act, for what the act is about as it is now. */
export interface ActPage extends Pick<Question, 'crumbs' | 'body' | 'fields' | 'back'> {
  /** Whether there is nothing to do: the act is refused. */
  readonly isDone?: boolean;
  /** Why the operator must not do it. */
  readonly refusal?: string | undefined;
  /** Instead of the act's own words. */
  readonly words?: Pick<Question, 'title' | 'button' | 'isDangerous'> | undefined;
  /** Changes if another operator, or the owner, changes what this page says. */
  readonly seen: string;
}

/** An act of an operator on a page, an account, a report or a comment, for which a reason is required. */
export interface OperatorAct<T> {
  readonly name: ActWithReason;
  readonly path: string;
  /** null: there is no such target. */
  find(req: Request): Promise<T | null>;
  /** Changes nothing. */
  describe(target: T, session: BrowserSession): ActPage | Promise<ActPage>;
  /** Does it. @returns the notice for the page that the act leads to, if it is not the act's own @throws DropError `not_found` */
  perform(
    target: T,
    operator: Operator & { readonly reason: string },
    form: Form,
  ): Promise<string | undefined>;
}

/** The notices of acts, by their names. */
export function noticesOf<Name extends ActWithReason>(
  ...names: readonly Name[]
): Readonly<Record<Name, string>> {
  const notices = names.map((name) => [name, sentenceOf(name, 'done')]);
  return Object.fromEntries(notices) as Record<Name, string>; // proof: it has each name
}

/** What the act does. */
export function effectOf(name: ActWithReason): Html {
  return html`<p>${actWords[name].effect}</p>`;
}

function sentenceOf(name: ActWithReason, outcome: 'done' | 'unchanged'): string {
  const { target, [outcome]: said } = actWords[name];
  return `The ${target} ${said}.`;
}

/** The page that asks for the reason, and its form. */
export function actRoutes<T>(
  pages: SessionPages,
  { name, path, find, describe, perform }: OperatorAct<T>,
): readonly Route[] {
  const { target, question: title, button, isDangerous, reason } = actWords[name];
  return pages.confirmed(path, limitTable.change, {
    async ask(req, session, attempt) {
      const found = await find(req);
      if (found === null) throw attempt?.error ?? notFound(target);
      const page = await describe(found, session);
      const field = reasonField(reason.readers, attempt?.form.get('reason'), attempt?.error);
      return {
        ...(page.words ?? { title, button, isDangerous }),
        crumbs: page.crumbs,
        body: page.body,
        back: page.back,
        refusal: refusalOf(name, page),
        fields: html`<input type="hidden" name="seen" value="${page.seen}">\n${field}\n${page.fields}`,
      };
    },

    async perform(req, _, session, form) {
      const found = await find(req);
      if (found === null) throw notFound(target);
      const page = await describe(found, session);
      if (form.get('seen') !== page.seen) throw changedMeanwhile();
      const refusal = refusalOf(name, page);
      if (refusal !== null) throw new DropError('forbidden', refusal);
      const operator = { by: nameOf(session), reason: readReason(form) };
      const notice = await perform(found, operator, form);
      return `${page.back}?notice=${notice ?? name}`;
    },
  });
}

function refusalOf(name: ActWithReason, { refusal, isDone }: ActPage): string | null {
  if (refusal !== undefined) return refusal;
  return isDone ? sentenceOf(name, 'unchanged') : null;
}

function reasonField(readers: string, typed: string | undefined, error: DropError | undefined): Html {
  return html`<label for="reason">Reason</label>
<textarea id="reason" name="reason" rows="3" required maxlength="${reasonMaxCharacters}"${fieldState(error?.details?.field === 'reason', 'reason-hint')}>${typed}</textarea>
<p class="hint" id="reason-hint">For ${readers}.</p>`;
}

const reasonSchema = object({
  reason: textField('reason')
    .required(invalid('Enter a reason', { field: 'reason' }))
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

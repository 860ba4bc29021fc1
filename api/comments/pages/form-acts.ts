import { createHash } from 'node:crypto';
import { object } from 'yup';
import { type Author, commentIdPattern, commentLimits } from '../../../shared/comments/comment.ts';
import type { CommentedVersion, Comments, Scope } from '../../../shared/comments/comments.ts';
import { DropError } from '../../../shared/domain/errors.ts';
import { newId } from '../../../shared/domain/ids.ts';
import { type Html, html } from '../../html/html.ts';
import type { Form } from '../../http/show.ts';
import { validate } from '../../http/validate.ts';
import { readNewComment, readReply, readStanding, words } from '../requests.ts';

const formIdField = 'form_id';

/** What every form of comments has beside the field of its session. */
export function formIdInput(now: number): Html {
  return html`<input type="hidden" name="${formIdField}" value="${newId(now)}">`;
}

/** A new one if the form has none. */
export function formIdOf(form: Form, now: number): string {
  const formId = form.get(formIdField) ?? '';
  return commentIdPattern.test(formId) ? formId : newId(now);
}

/** The same text, sent twice with one form, is one comment. Another text is another one: a browser may show the form again. */
function idOf(form: Form, text: string, now: number): string {
  const formId = formIdOf(form, now);
  const hash = createHash('sha256')
    .update(`${formId} ${form.get('id')} ${text}`)
    .digest('hex');
  return formId.slice(0, 12) + hash.slice(0, 20);
}

/** Writes the comment that the form has. @returns its id */
export async function add(
  comments: Comments,
  target: CommentedVersion,
  author: Author,
  form: Form,
  now: number,
): Promise<string> {
  const quote = textIn(form, 'quote');
  const prefix = textIn(form, 'prefix');
  const suffix = textIn(form, 'suffix');
  const anchor = { quote, prefix, suffix, position: form.get('position') || '0' };
  const input = readNewComment({ text: textIn(form, 'text').trim(), ...(quote !== '' && { anchor }) });
  const claimed = input.anchor && { ...input.anchor, standing: readStanding(form.get('standing') ?? '') };
  return (await comments.add(target, author, { ...input, anchor: claimed }, idOf(form, input.text, now))).id;
}

/** Does what a form of a thread asks for. @returns the id of what it has changed; null: it has deleted it */
export async function changeByForm(
  comments: Comments,
  scope: Scope,
  actor: Author,
  form: Form,
  now: number,
): Promise<string | null> {
  const id = form.get('id') ?? '';
  const reply = form.get('reply') ?? null;
  const readText = () => readReply({ text: textIn(form, 'text').trim() }).text;
  const setState = async (state: 'open' | 'resolved') =>
    (await comments.setState(scope, id, actor, state)).id;
  switch (form.get('act')) {
    case 'reply': {
      const text = readText();
      const replyId = idOf(form, text, now);
      await comments.reply(scope, id, actor, text, null, replyId);
      return replyId;
    }
    case 'resolve':
      return setState('resolved');
    case 'open':
    case 'approve':
      return setState('open');
    case 'edit':
      await comments.edit(scope, id, actor, { text: readText(), replyId: reply });
      return reply ?? id;
    case 'delete':
      await comments.remove(scope, id, actor, reply);
      return reply === null ? null : id;
    default:
      throw new DropError('invalid_arg', 'The form is incomplete. Reload the page.', { field: 'act' });
  }
}

const guest = object({ name: words('name', commentLimits.name).defined() });

/** The name that a guest has typed. @throws DropError `invalid_arg` */
export function readName(form: Form): string {
  return validate(guest, { name: textIn(form, 'name').trim().replace(/\s+/g, ' ') }).name;
}

/** Browsers send a line break as CR LF. */
function textIn(form: Form, field: string): string {
  return (form.get(field) ?? '').replace(/\r\n?/g, '\n');
}

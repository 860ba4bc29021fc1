import { createHash } from 'node:crypto';
import { type Anchor, type Author, commentLimits } from '../../../shared/comments/comment.ts';
import type { CommentedVersion, Comments, Scope } from '../../../shared/comments/comments.ts';
import { DropError } from '../../../shared/domain/errors.ts';
import { newId } from '../../../shared/domain/ids.ts';
import { type Html, html } from '../../html/html.ts';
import { toPositiveInteger } from '../../http/parameters.ts';
import type { Form } from '../../http/show.ts';
import { isLongerThan } from '../../http/validate.ts';

const formIdField = 'form_id';

/** What every form of comments has beside the field of its session. */
export function formIdInput(now: number): Html {
  return html`<input type="hidden" name="${formIdField}" value="${newId(now)}">`;
}

/** The same text, sent twice with one form, is one comment. Another text is another one: a browser may show the form again. */
function idOf(form: Form, text: string, now: number): string {
  const formId = form.get(formIdField) ?? '';
  if (!/^[0-9a-f]{32}$/.test(formId)) return newId(now);
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
  const text = readText(form, 'text', commentLimits.text, 'The comment');
  const { id } = await comments.add(
    target,
    author,
    { anchor: readAnchor(form), text },
    idOf(form, text, now),
  );
  return id;
}

/** Does what a form of a thread asks for. @returns the id of what it has changed; null: it has deleted it */
export async function change(
  comments: Comments,
  scope: Scope,
  actor: Author,
  form: Form,
  now: number,
): Promise<string | null> {
  const id = form.get('id') ?? '';
  const reply = form.get('reply') ?? null;
  const text = () => readText(form, 'text', commentLimits.text, 'The comment');
  switch (form.get('act')) {
    case 'reply': {
      const replyId = idOf(form, text(), now);
      await comments.reply(scope, id, actor, text(), null, replyId);
      return replyId;
    }
    case 'resolve':
      await comments.setState(scope, id, actor, 'resolved');
      return id;
    case 'open':
    case 'approve':
      await comments.setState(scope, id, actor, 'open');
      return id;
    case 'edit':
      await comments.edit(scope, id, actor, text(), reply);
      return reply ?? id;
    case 'delete':
      await comments.remove(scope, id, actor, reply);
      return reply === null ? null : id;
    default:
      throw new DropError('invalid_arg', 'The form is incomplete. Reload the page.', { field: 'act' });
  }
}

/** @throws DropError `invalid_arg` */
export function readText(form: Form, field: string, maxLength: number, name: string): string {
  const text = lines(form, field).trim();
  if (text === '') throw new DropError('invalid_arg', `${name} is empty.`, { field });
  if (!isLongerThan(text, maxLength)) return text;
  const message = `${name} must be at most ${maxLength} characters.`;
  throw new DropError('invalid_arg', message, { field, max_length: maxLength });
}

/** Browsers send a line break as CR LF. */
function lines(form: Form, field: string): string {
  return (form.get(field) ?? '').replace(/\r\n?/g, '\n').replaceAll('\0', '');
}

/** null: the comment is about the whole page. */
function readAnchor(form: Form): Anchor | null {
  const [quote = '', prefix = '', suffix = ''] = ['quote', 'prefix', 'suffix'].map((name) =>
    lines(form, name),
  );
  const { quote: max, around } = commentLimits;
  const position = toPositiveInteger(form.get('position')) ?? 0;
  if (quote === '') return null;
  if (isLongerThan(quote, max) || [prefix, suffix].some((text) => isLongerThan(text, around)))
    throw new DropError('invalid_arg', `Select at most ${max} characters.`, { field: 'quote' });
  return { quote, prefix, suffix, position };
}

import { object } from 'yup';
import {
  type CommentState,
  commentIdPattern,
  commentLimits,
  standingFields,
} from '../../shared/comments/comment.ts';
import type { NewComment } from '../../shared/comments/comments.ts';
import type { CommentFilter } from '../../shared/comments/lists.ts';
import type { ClaimedAnchor } from '../../shared/comments/sides.ts';
import { DropError } from '../../shared/domain/errors.ts';
import { faultsOf } from '../../shared/domain/record.ts';
import { slugTest } from '../drops/fields.ts';
import { maxVersionNumber, toPositiveInteger } from '../http/parameters.ts';
import {
  atMostCharacters,
  type Fault,
  integerField,
  invalid,
  jsonObject,
  oneOfField,
  textField,
  validate,
} from '../http/validate.ts';

const maxWaitSeconds = 25;
const defaultLimit = 50;

export const commentIdRule = 'must be 32 characters of 0-9 and a-f';

/** A yup test of a field that may be left out. */
function matches(pattern: RegExp, message: Fault) {
  const test = (value: string | undefined) => value === undefined || pattern.test(value);
  return { name: 'pattern', params: { json: { pattern: pattern.source } }, message, test };
}

export function commentId(field: string) {
  return textField(field).test(matches(commentIdPattern, invalid(`${field} ${commentIdRule}`)));
}

/** What a comment, a reply or a quote says. */
export function words(field: string, limit: number = commentLimits.text) {
  return textField(field)
    .test({ ...matches(/\S/, invalid(`${field} must not be blank`)), params: { json: { minLength: 1 } } })
    .test(atMostCharacters('invalid_arg', field, limit));
}

const required = (field: string) => invalid(`${field} is required`);

function around(field: string, where: string) {
  return textField(field)
    .test(atMostCharacters('invalid_arg', field, commentLimits.around))
    .meta({ description: `The text ${where} the quote.` });
}

const notAnAnchor = invalid('anchor must be an object with quote');
const anchor = object({
  quote: words('anchor.quote', commentLimits.quote)
    .defined(required('anchor.quote'))
    .meta({ description: 'The text as readers see it.' }),
  prefix: around('anchor.prefix', 'before'),
  suffix: around('anchor.suffix', 'after'),
  position: integerField('anchor.position', maxVersionNumber, 0).meta({
    description: 'About how many UTF-16 units of visible text are before it.',
  }),
})
  .typeError(notAnAnchor)
  .nonNullable(notAnAnchor)
  .default(undefined)
  .meta({ description: 'What the comment is about. Absent: the whole page.' });

const newText = words('text').meta({ description: 'Plain text.' });
const newState = oneOfField('state', ['open', 'resolved']).meta({
  description: 'The new state of the comment.',
});

export const commentBodies = {
  create: jsonObject({
    text: newText.defined(required('text')),
    version: integerField('version', maxVersionNumber).meta({
      description: 'The version. Default: the latest.',
    }),
    anchor,
  }),
  reply: jsonObject({ text: newText.defined(required('text')), state: newState }),
  change: jsonObject({
    text: newText,
    state: newState,
    reply: commentId('reply').meta({ description: 'The reply whose text changes. Default: the comment.' }),
  }),
};

/** @returns `version`: null: the latest */
export function readNewComment(value: unknown): NewComment & { readonly version: number | null } {
  const { text, version, anchor: given } = validate(commentBodies.create, value);
  const anchor = given && {
    quote: given.quote,
    prefix: given.prefix ?? '',
    suffix: given.suffix ?? '',
    position: toPositiveInteger(given.position) ?? 0,
    standing: null,
  };
  return { text, version: toPositiveInteger(version), anchor: anchor ?? null };
}

/** What the script in a page says of how a quote stands there. @returns null: it says nothing that can be used */
export function readStanding(json: string): ClaimedAnchor['standing'] {
  try {
    const claimed: unknown = JSON.parse(json);
    // proof: it has no faults
    return faultsOf(standingFields, claimed).length === 0 ? (claimed as ClaimedAnchor['standing']) : null;
  } catch {
    return null; // the page is a stranger's: its form may have anything
  }
}

/** @returns `state`: null: it stays */
export function readReply(value: unknown) {
  const { text, state = null } = validate(commentBodies.reply, value);
  return { text, state };
}

/** @returns `text`, `state`: null: it stays; `reply`: null: the text is that of the comment */
export function readCommentChange(value: unknown) {
  const { text, state = null, reply = null } = validate(commentBodies.change, value);
  if (reply === null || text !== undefined) return { text: text ?? null, state, reply };
  throw new DropError('invalid_arg', 'reply needs text: the new text of the reply', { field: 'reply' });
}

/** The query of DELETE. */
export const replyQuery = object({
  reply: commentId('reply').meta({ description: 'Deletes only this reply.' }),
});

const states = {
  open: ['open'],
  resolved: ['resolved'],
  held: ['held'],
  all: ['open', 'resolved', 'held'],
} as const satisfies Readonly<Record<string, readonly CommentState[]>>;

const stateNames = Object.keys(states) as (keyof typeof states)[]; // proof: its own keys

/** The query of GET /api/comments. */
export const commentQuery = object({
  drop: textField('drop').test(slugTest).meta({ description: 'The slug of a drop. Default: all drops.' }),
  state: oneOfField('state', stateNames).meta({
    description: 'held: of guests, and not approved yet.',
    default: 'open',
  }),
  after: textField('after')
    .test(matches(/^\d{1,15}$/, invalid('after must be the next of an earlier answer')))
    .meta({ description: 'The next of an earlier answer: only what was changed since.' }),
  wait: integerField('wait', maxWaitSeconds, 0).meta({
    description:
      'Seconds to wait for a change; 0: look once. Present: without what this token has changed itself.',
  }),
  limit: integerField('limit', 100).meta({ description: 'Comments of an answer.', default: defaultLimit }),
});

/** `waitMs`: null: the whole list is asked for. */
export function readCommentQuery(query: unknown): { filter: CommentFilter; waitMs: number | null } {
  const { drop, state = 'open', after, wait, limit } = validate(commentQuery, query, 'query');
  const filter = {
    slug: drop ?? null,
    states: states[state],
    after: after === undefined ? null : Number(after),
    limit: toPositiveInteger(limit) ?? defaultLimit,
  };
  return { filter, waitMs: wait === undefined ? null : (toPositiveInteger(wait) ?? 0) * 1_000 };
}

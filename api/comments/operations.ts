import { json, type Operation } from '../openapi/operation.ts';
import { queryParameters, toJsonSchema } from '../openapi/request-schema.ts';
import { commentListShape, commentShape } from './presenter.ts';
import { commentBodies, commentQuery, replyQuery } from './requests.ts';

/** docs/decisions/comments.md. */
export const commentOperations = {
  list: {
    id: 'listComments',
    tag: 'Comments',
    summary: 'List comments, or wait for them',
    description:
      'The comments on your drops, oldest change first. `next` as `after`: only what changed since; with `wait`, too, only what others changed, as soon as there is any. All is read when `data` is empty.',
    parameters: queryParameters(commentQuery),
    replies: [json('The comments.', commentListShape, undefined)],
    refusals: ['invalid_slug', 'not_found'],
  },
  create: {
    id: 'createComment',
    tag: 'Comments',
    summary: 'Write a comment',
    description: 'On a version of your drop.',
    body: {
      required: true,
      schema: toJsonSchema(commentBodies.create),
      example: { text: 'This number is that of May.' },
    },
    replies: [json('The comment.', commentShape, undefined, { status: 201 })],
    refusals: ['quota_exceeded'],
  },
  reply: {
    id: 'replyToComment',
    tag: 'Comments',
    summary: 'Reply to a comment',
    description: 'With `state` it also resolves the comment or opens it again.',
    body: {
      required: true,
      schema: toJsonSchema(commentBodies.reply),
      example: { text: 'Corrected in version 2.', state: 'resolved' },
    },
    replies: [json('The comment with its new reply.', commentShape, undefined, { status: 201 })],
    refusals: ['quota_exceeded'],
  },
  change: {
    id: 'changeComment',
    tag: 'Comments',
    summary: 'Resolve, open or edit a comment',
    description: 'A new state also approves what a guest wrote. You can change only your own texts.',
    body: {
      required: false,
      schema: toJsonSchema(commentBodies.change),
      example: { state: 'resolved' },
    },
    replies: [json('The changed comment.', commentShape, undefined)],
    refusals: ['quota_exceeded'],
  },
  remove: {
    id: 'deleteComment',
    tag: 'Comments',
    summary: 'Delete a comment',
    description: 'Any comment on your drops, with its replies, for ever.',
    parameters: queryParameters(replyQuery),
    replies: [{ status: 204, description: 'The comment, or the reply, is deleted.' }],
  },
} as const satisfies Record<string, Operation>;

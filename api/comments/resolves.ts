import { mixed, object } from 'yup';
import { commentIdPattern } from '../../shared/comments/comment.ts';
import type { Resolves } from '../../shared/comments/resolutions.ts';
import { DropError } from '../../shared/domain/errors.ts';
import type { Query } from '../http/parameters.ts';
import { invalid, validate } from '../http/validate.ts';
import type { Parameter } from '../openapi/operation.ts';
import { queryParameters } from '../openapi/request-schema.ts';
import { words } from './requests.ts';

const maxIds = 50;
const notIds = invalid(`resolves must be 1 to ${maxIds} ids of comments`, { maximum: maxIds });

/** Fields of a new version of a drop. */
export const resolvesFields = {
  resolves: mixed<string[]>({
    check: (value): value is string[] =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.length <= maxIds &&
      value.every((id) => typeof id === 'string' && commentIdPattern.test(id)),
  })
    .typeError(notIds)
    .nonNullable(notIds)
    .meta({
      type: 'array',
      description: 'Ids of the comments that this version resolves.',
      items: { type: 'string', pattern: commentIdPattern.source },
      minItems: 1,
      maxItems: maxIds,
    }),
  resolves_reply: words('resolves_reply').meta({ description: 'A reply to each of these comments.' }),
};

/** @returns null: none @throws DropError `invalid_arg` for a reply without comments */
export function readResolves(fields: {
  readonly resolves?: readonly string[] | undefined;
  readonly resolves_reply?: string | undefined;
}): Resolves | null {
  const { resolves: ids, resolves_reply: reply } = fields;
  if (ids !== undefined) return { ids, reply: reply ?? null };
  if (reply === undefined) return null;
  const message = 'resolves_reply needs resolves: the ids of the comments to reply to';
  throw new DropError('invalid_arg', message, { field: 'resolves_reply' });
}

const querySchema = object(resolvesFields);

/** Of a request without a JSON body: `resolves=ID,ID`. */
export function readResolvesQuery({ resolves: given, resolves_reply }: Query): Resolves | null {
  const resolves = typeof given === 'string' ? given.split(',') : given;
  return readResolves(validate(querySchema, { resolves, resolves_reply }, 'query'));
}

export const resolvesParameters: readonly Parameter[] = queryParameters(querySchema).map((one) => ({
  ...one,
  description: `Without a JSON body. ${one.description}`,
  ...(one.name === 'resolves' && { style: 'form', explode: false }),
}));

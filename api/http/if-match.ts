import { DropError } from '../../shared/domain/errors.ts';
import type { DropTarget } from '../../shared/drops/revision.ts';
import type { Parameter } from '../openapi/operation.ts';
import { type ApiRequest, readSlug, toPositiveInteger } from './parameters.ts';

/** A list of entity tags (RFC 9110, sections 5.6.1 and 8.8.3); its elements may be empty, but not all of them. */
const tagList = /^[ \t,]*(?:W\/)?"[!#-~\x80-\xff]*"(?:[ \t]*,[ \t,]*(?:W\/)?"[!#-~\x80-\xff]*")*[ \t,]*$/;

export const ifMatchParameter: Parameter = {
  name: 'If-Match',
  in: 'header',
  description:
    'Changes the drop only if it has this `ETag`, or one of several, separated by commas; `*` stands for any. Otherwise 412 `version_conflict`, with the `ETag` that it has now. `W/` is ignored.',
  schema: { type: 'string' },
  example: '"1"',
};

/** The drop of the request's path, at the revisions of its If-Match. @throws DropError `invalid_slug`, `invalid_arg` */
export function readTarget(req: ApiRequest): Omit<DropTarget, 'ownerId'> {
  return { slug: readSlug(req), revs: readIfMatch(req.headers['if-match'], 'If-Match') };
}

/**
 * The accepted revisions (RFC 9110, 13.1.1); null: all. `W/` is ignored, because proxies that compress weaken tags. An empty
 * header is refused: its client meant to protect the drop. @param name of the header or the argument, for an error
 * @throws DropError `invalid_arg`
 */
export function readIfMatch(given: string | undefined, name: string): readonly number[] | null {
  const value = given?.trim();
  if (value === undefined || value === '*') return null;
  if (!tagList.test(value)) {
    const message = `${name} must be "*" or the ETag of the drop in double quotes, such as ${name}: "3"`;
    throw new DropError('invalid_arg', message, { field: name });
  }
  return [...value.matchAll(/"([^"]*)"/g)].flatMap(([, text]) =>
    text?.startsWith('0') ? [] : (toPositiveInteger(text) ?? []),
  );
}

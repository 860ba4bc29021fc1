import { DropError } from '../../shared/domain/errors.ts';
import type { DropTarget } from '../../shared/drops/revision.ts';
import type { Parameter } from '../openapi/operation.ts';
import { readTags, withoutProxySuffix } from './entity-tags.ts';
import { type ApiRequest, readSlug, toPositiveInteger } from './parameters.ts';

export const ifMatchParameter: Parameter = {
  name: 'If-Match',
  in: 'header',
  description:
    'Changes the drop only if it has this `ETag`, or one of several, separated by commas; `*` stands for any. Otherwise 412 `version_conflict`, with the `ETag` that it has now. `W/` and what proxies append (`-gzip`) are ignored.',
  schema: { type: 'string' },
  example: '*', // programs made from the description send it with every request
};

/** The drop of the request's path, at the revisions of its If-Match. @throws DropError `invalid_slug`, `invalid_arg` */
export function readTarget(req: ApiRequest): Omit<DropTarget, 'ownerId'> {
  return { slug: readSlug(req), revs: readIfMatch(req.headers['if-match'], 'If-Match') };
}

/**
 * The accepted revisions (RFC 9110, 13.1.1); null: all. An empty header is refused: its client meant to protect the drop.
 * @param name of the header or the argument, for an error @throws DropError `invalid_arg`
 */
export function readIfMatch(given: string | undefined, name: string): readonly number[] | null {
  const value = given?.trim();
  if (value === undefined || value === '*') return null;
  const tags = readTags(value);
  if (tags === null) {
    const message = `${name} must be "*" or the ETag of the drop in double quotes, such as ${name}: "3"`;
    throw new DropError('invalid_arg', message, { field: name });
  }
  return tags.map((tag) => revisionOf(withoutProxySuffix(tag) ?? tag)).filter((rev) => rev !== null);
}

/** null: no drop has such a tag. */
function revisionOf(tag: string): number | null {
  return tag.startsWith('0') ? null : toPositiveInteger(tag);
}

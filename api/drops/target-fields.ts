import { slugPattern } from '../../shared/domain/ids.ts';
import { readIfMatch } from '../http/if-match.ts';
import { type Fault, text } from '../http/validate.ts';

/** The fields of a body, and the arguments of MCP tools, that stand for the slug of a path and for If-Match. */

export const slugFault: Fault = {
  code: 'invalid_slug',
  message: 'slug must be 1 to 64 letters, digits, "_" or "-": the last part of the address of the page',
};

/** A yup test. */
export const isSlug = {
  name: 'slug',
  params: { json: { pattern: slugPattern.source } },
  message: slugFault,
  test: (value: string | undefined) => value === undefined || slugPattern.test(value),
};

/** May be left out. `readRevisions` reads it. */
export const ifMatchField = text('if_match').meta({
  description:
    'The etag of the drop as you read it. If the drop was changed since then, nothing happens and the error is version_conflict.',
});

/** The revisions that `if_match` accepts. Models often leave out the quotes of an ETag. @throws DropError `invalid_arg` */
export function readRevisions(value: string | undefined): readonly number[] | null {
  return readIfMatch(/^\d+$/.test(value ?? '') ? `"${value}"` : value, 'if_match');
}

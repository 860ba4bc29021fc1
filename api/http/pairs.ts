import { DropError } from '../../shared/domain/errors.ts';

/**
 * The pairs of a query or a form, in their order.
 * @param what it is, for the error
 * @throws DropError `invalid_arg` for what is not UTF-8: it would be read as U+FFFD, and `%fe` would mean the same as
 * `%ff`
 */
export function readPairs(text: string, what: 'query' | 'form'): readonly (readonly [string, string])[] {
  try {
    for (const [run] of text.matchAll(/(?:%[0-9a-f]{2})+/gi)) decodeURIComponent(run);
  } catch (error) {
    throw new DropError('invalid_arg', `The ${what} is not UTF-8.`, { field: what }, { cause: error });
  }
  return [...new URLSearchParams(text)];
}

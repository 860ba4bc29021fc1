import { DropError } from '../../shared/domain/errors.ts';
import { readPairs } from './pairs.ts';

/** The list has four, and ten filters are more than a drop can meet. */
export const maxParameters = 100;

/** The parameters of an API request by name, those that come more than once as a list. No name is an object's own. */
export type Query = Record<string, string | string[]>;

/**
 * Reads all of a query or refuses it: what is left out silently may be the filter that the caller relies on.
 * @param search without the question mark; null for none
 * @throws DropError `invalid_arg` for too many parameters, for those of arrays and objects (`a[]`, `a[b]`), and for
 *   what is not UTF-8
 */
export function readQuery(search: string | null): Query {
  const query: Query = Object.create(null);
  if (!search) return query;
  if (search.split('&', maxParameters + 1).length > maxParameters) {
    throw new DropError('invalid_arg', `A query has at most ${maxParameters} parameters.`, {
      field: 'query',
      maximum: maxParameters,
    });
  }
  for (const [name, value] of readPairs(search, 'query')) {
    if (/[[\]]/.test(name)) {
      throw new DropError('invalid_arg', 'Parameters are single values, no arrays or objects.', {
        field: name,
      });
    }
    const before = query[name];
    query[name] = before === undefined ? value : [before, value].flat();
  }
  return query;
}

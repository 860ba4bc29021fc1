import type { Request } from 'express';
import { DropError } from '../../shared/domain/errors.ts';
import { slugPattern } from '../../shared/domain/ids.ts';
import { tokenIdPattern } from '../../shared/domain/token.ts';

/** The slug of an API path. @throws DropError `invalid_slug` */
export function readSlug(req: Request): string {
  const slug = param(req, 'slug');
  if (slugPattern.test(slug)) return slug;
  throw new DropError('invalid_slug', 'A slug has 1 to 64 letters, digits, "_" and "-".', { field: 'slug' });
}

/** The version number of an API path: an integer from 1 on. @throws DropError `invalid_arg` */
export function readVersionNumber(req: Request): number {
  const number = toPositiveInteger(param(req, 'n'));
  if (number !== null) return number;
  throw new DropError('invalid_arg', 'A version number is an integer from 1 on.', { field: 'n' });
}

/** A token's id: 12 hex digits. @throws DropError `invalid_arg` */
export function readTokenId(req: Request): string {
  const id = param(req, 'id');
  if (tokenIdPattern.test(id)) return id;
  throw new DropError('invalid_arg', "A token's id has 12 characters of 0-9 and a-f.", { field: 'id' });
}

/** As many as fifteen digits say. */
export const maxVersionNumber = 999_999_999_999_999;

/** Digits only, and what they say is at least 1 and exact; null for anything else. */
export function toPositiveInteger(text: string | null | undefined): number | null {
  if (text == null || !/^\d{1,15}$/.test(text)) return null;
  return Number(text) || null;
}

/** A segment of the path as it was sent (app.ts sees to it that nothing is decoded). */
function param(req: Request, name: string): string {
  const value = req.params[name];
  return typeof value === 'string' ? value : '';
}

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

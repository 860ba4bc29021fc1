import type { IncomingMessage } from 'node:http';
import { type Code, DropError } from '../../shared/domain/errors.ts';
import { slugPattern } from '../../shared/domain/ids.ts';

export type Params = Readonly<Record<string, string | string[]>>;

/** A request of a route that server/api-router.ts finds. A request of Express is one too. */
export interface ApiRequest extends IncomingMessage {
  params: Params;
}

/** The slug of an API path. @throws DropError `invalid_slug` */
export function readSlug(req: ApiRequest): string {
  const message = 'A slug must be 1 to 64 letters, digits, "_" or "-"';
  return readParam(req, 'slug', slugPattern, message, 'invalid_slug');
}

/** A segment of the path that the pattern accepts. @throws DropError of this code and message */
export function readParam(
  req: ApiRequest,
  field: string,
  pattern: RegExp,
  message: string,
  code: Code = 'invalid_arg',
): string {
  const value = param(req, field);
  if (pattern.test(value)) return value;
  throw new DropError(code, message, { field });
}

/** The names of the parameters for metadata begin with it: `metadata.<key>=<value>`. */
export const metadataPrefix = 'metadata.';

/** The version number of an API path. @throws DropError `invalid_arg` */
export function readVersionNumber(req: ApiRequest): number {
  const number = toPositiveInteger(param(req, 'n'));
  if (number !== null) return number;
  throw new DropError('invalid_arg', `A version number must be an integer from 1 to ${maxVersionNumber}`, {
    field: 'n',
  });
}

export const maxVersionNumber = 999_999_999_999_999;

/** Reads 1 to 15 digits; null for anything else, and for 0. */
export function toPositiveInteger(value: string | number | null | undefined): number | null {
  return /^\d{1,15}$/.test(String(value)) ? Number(value) || null : null;
}

/** A segment of the path as the client sent it: nothing is decoded (server/listener.ts). */
function param(req: ApiRequest, name: string): string {
  const value = req.params[name];
  return typeof value === 'string' ? value : '';
}

/** GET /api/drops needs 15: five parameters, and by default a filter for each of ten metadata keys. */
export const maxParameters = 100;

/** Query parameters by name, repeated ones as a list. The object has no prototype. */
export type Query = Record<string, string | string[]>;

/** The query of the request's URL. @throws DropError as `readQuery` */
export function queryOf({ url = '' }: IncomingMessage): Query {
  const start = url.indexOf('?');
  return readQuery(start < 0 ? null : url.slice(start + 1));
}

/**
 * Refuses what it cannot read: an ignored filter would change the result unnoticed. @param search without the question mark
 * @throws DropError `invalid_arg` for too many parameters, for arrays and objects (`a[]`, `a[b]`), and for invalid UTF-8
 */
export function readQuery(search: string | null): Query {
  const query: Query = Object.create(null);
  if (!search) return query;
  if (search.split('&', maxParameters + 1).length > maxParameters) {
    const details = { field: 'query', maximum: maxParameters };
    throw new DropError('invalid_arg', `The query must have at most ${maxParameters} parameters`, details);
  }
  for (const [name, value] of readPairs(search, 'query')) {
    if (/[[\]]/.test(name))
      throw new DropError('invalid_arg', 'Parameter names must not contain "[" or "]"', { field: name });
    const before = query[name];
    query[name] = before === undefined ? value : [before, value].flat();
  }
  return query;
}

/** The pairs of a query or a form. @throws DropError `invalid_arg` for invalid UTF-8, which URLSearchParams would repair */
export function readPairs(text: string, what: 'query' | 'form'): readonly (readonly [string, string])[] {
  try {
    for (const [run] of text.matchAll(/(?:%[0-9a-f]{2})+/gi)) decodeURIComponent(run);
  } catch (error) {
    throw new DropError('invalid_arg', `The ${what} must be UTF-8`, { field: what }, { cause: error });
  }
  return [...new URLSearchParams(text)];
}

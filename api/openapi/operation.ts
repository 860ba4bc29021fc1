import type { Code } from '../../shared/domain/errors.ts';
import type { LimitName } from '../presenters/limits.ts';
import type { JsonSchema, Shape } from '../presenters/shape.ts';
import type { HeaderName } from './headers.ts';
import type { Tag } from './tags.ts';

/** A value of the path, the query, a header or a cookie. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly description: string;
  readonly schema: JsonSchema;
  readonly required?: boolean;
  readonly style?: 'form';
  readonly explode?: boolean;
}

/** What is posted. */
export interface RequestBody {
  readonly type: 'application/json' | 'application/x-www-form-urlencoded';
  readonly schema: JsonSchema;
  /** Whether a request without one is refused. */
  readonly required: boolean;
  readonly example: unknown;
}

/** An answer that is no refusal. */
export interface Reply {
  readonly status: 200 | 201 | 204 | 303 | 304;
  readonly description: string;
  /** By media type. None: no body. */
  readonly content?: Readonly<Record<string, { readonly shape: Shape<unknown>; readonly example?: unknown }>>;
  /** Headers that it always has, beside those of every answer; after a `?`, those that it may have. */
  readonly headers?: readonly (HeaderName | `?${HeaderName}`)[];
}

/** A code, at the status that it has everywhere or at another. */
export type Refusal = Code | readonly [code: Code, status: number];

/**
 * What an endpoint is, beside its method, path and access: everything that the published description says of it. What
 * its access adds (a token, limits, refusals) is in access-rules.ts, and what any answer may be in refusals.ts.
 */
export interface Operation {
  /** For generated clients; never changed. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  /** Beside those of its access. */
  readonly limits?: readonly LimitName[];
  readonly parameters?: readonly Parameter[];
  readonly body?: RequestBody;
  readonly replies: readonly [Reply, ...Reply[]];
  readonly refusals?: readonly Refusal[];
  /** Answered before Express, under headers of its own: no page has an id of its request. */
  readonly isRawPage?: true;
}

/** A page of ours. */
export function page(description: string, more: Omit<Reply, 'status' | 'description'> = {}): Reply {
  return { status: 200, description, content: { 'text/html': { shape: htmlShape } }, ...more };
}

/** On to the next page; the body is for nobody. */
export function redirect(description: string, headers: Reply['headers'] = []): Reply {
  const shape = { schema: { type: 'string' }, components: {} };
  const content = { 'text/html': { shape }, 'text/plain': { shape } };
  return { status: 303, description, content, headers: ['Location', ...headers] };
}

/** An answer in JSON. */
export function json(
  description: string,
  shape: Shape<unknown>,
  example: unknown,
  more: Partial<Reply> = {},
): Reply {
  return { status: 200, description, content: { 'application/json': { shape, example } }, ...more };
}

const htmlShape: Shape<string> = {
  schema: { type: 'string', contentMediaType: 'text/html' },
  components: {},
};

import type { Code } from '../../shared/domain/errors.ts';
import type { LimitName } from '../account/limits-presenter.ts';
import type { HeaderName } from './headers.ts';
import type { JsonSchema, Shape } from './shape.ts';
import type { Tag } from './tags.ts';

/** A value of the path or the query. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly description: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly style?: 'form';
  readonly explode?: boolean;
}

/** A body of JSON. */
export interface RequestBody {
  readonly schema: JsonSchema;
  /** Whether a request without one is refused. */
  readonly required: boolean;
  readonly example: unknown;
}

/** An answer that is no error. */
export interface Reply {
  readonly status: 200 | 201 | 204 | 304;
  readonly description: string;
  /** By media type. None: no body. */
  readonly content?: Readonly<Record<string, { readonly shape: Shape<unknown>; readonly example?: unknown }>>;
  readonly headers?: readonly HeaderName[];
}

/** A code, at the status that it has everywhere or at another. */
export type Refusal = Code | readonly [code: Code, status: number];

/**
 * What an endpoint is, beside its method, path and access: everything that the published description says of it. What
 * its access adds (a token, limits, refusals) is in access-rules.ts, and what any request may be answered in errors.ts.
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

import { type Config, type OptionName, optionEntries, type options } from '../../shared/config/config.ts';
import type { Code } from '../../shared/domain/errors.ts';
import { fields, integerShape, type JsonSchema, named, type Shape } from './shape.ts';

/** The groups of operations, in the order of the API reference. */
export const tags = {
  Onboarding: 'What a client needs to know first.',
  'Sign-in':
    'How a client gets a token: it starts a sign-in, its user approves the sign-in in a browser, the client polls.',
  Account: 'The account of a token, and its tokens.',
  Drops: 'Publish, list, replace, change and delete pages.',
  Versions: 'The versions of a drop. Each PUT or restore adds a version.',
  Comments: 'What readers and programs write on the pages of an account.',
  'Public pages': 'What everybody who has the address of a drop can open.',
  Health: 'For load balancers and monitoring.',
} as const;

/** The response headers that a client can use. */
export const headers = {
  ETag: {
    description: 'Of a drop: its revision, for `If-Match`. Of anything else: for `If-None-Match`.',
    schema: { type: 'string' },
  },
  'Content-Disposition': {
    description:
      'The name of the file: the title, or the slug if the title has no letters and digits, and the number of a version that is not the latest. With `filename*` if the title is not ASCII.',
    required: true,
    schema: {
      type: 'string',
      pattern: `^attachment; filename="[^"\\\\%]+"(; filename\\*=UTF-8''[\\w.!~%-]+)?$`,
    },
  },
  'Repr-Digest': {
    description: 'RFC 9530. Of the bytes as posted.',
    required: true,
    schema: { type: 'string', pattern: '^sha-256=:[A-Za-z0-9+/]{43}=:$' },
  },
  Link: {
    description: 'RFC 8288. Where the list goes on. Absent: it does not.',
    schema: { type: 'string', pattern: '^<[^>]+>; rel="next"$' },
  },
  Location: {
    description: 'The path of the new drop, or of the page.',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Idempotency-Replayed': {
    description: 'An earlier request with the same `Idempotency-Key` did the write. Absent otherwise.',
    schema: { type: 'string', const: 'true' },
  },
  'Retry-After': {
    description: 'Seconds to wait, as in `error.details.retry_after_seconds`.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': {
    description: 'RFC 6750. With `error="invalid_token"` if the request sent a token.',
    required: true,
    schema: { type: 'string', pattern: '^Bearer realm="dropleaf"' },
  },
  'Access-Control-Allow-Origin': {
    description: 'Scripts of every origin may read this answer.',
    required: true,
    schema: { type: 'string', const: '*' },
  },
} as const;

export type HeaderName = keyof typeof headers;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  /** Absent: it may be left out. */
  readonly required?: true;
  readonly style?: 'form';
  readonly explode?: boolean;
  readonly schema: JsonSchema;
  readonly example?: string;
}

/** A JSON body, the same as another media type, or a form. */
export interface RequestBody {
  /** Whether a request without a body is refused. */
  readonly required: boolean;
  /** Absent: not JSON. */
  readonly schema?: JsonSchema;
  /** The named schemas that `schema` refers to. */
  readonly components?: Readonly<Record<string, JsonSchema>>;
  readonly example?: unknown;
  /** The body as text/html. */
  readonly html?: { readonly schema: JsonSchema; readonly example: string };
  /** The fields of a form. */
  readonly form?: JsonSchema;
}

/** A successful answer. */
export interface OperationReply {
  readonly status: 200 | 201 | 204 | 303 | 304;
  readonly description: string;
  /** By media type. Absent: the answer has no body. */
  readonly content?: Readonly<Record<string, { readonly shape: Shape<unknown>; readonly example?: unknown }>>;
  readonly headers?: readonly HeaderName[];
}

/** An error code, with its status if that differs from the code's status in `errorCodes`. */
export type ErrorCase = Code | readonly [code: Code, status: number];

/** What the published description says about an endpoint, besides what document.ts derives from its path and access. */
export interface Operation {
  /** Generated clients name their functions by it, so it never changes. */
  readonly id: string;
  readonly tag: keyof typeof tags;
  readonly summary: string;
  readonly description: string;
  /** Limits besides those of the access. */
  readonly limits?: readonly PublicLimit[];
  readonly parameters?: readonly Parameter[];
  readonly body?: RequestBody;
  readonly replies: readonly [OperationReply, ...OperationReply[]];
  readonly refusals?: readonly ErrorCase[];
}

/** A JSON answer; 200 unless `more` says otherwise. @param example undefined: none */
export function json(
  description: string,
  shape: Shape<unknown>,
  example: unknown,
  more: Partial<OperationReply> = {},
): OperationReply {
  return {
    status: 200,
    description,
    content: { 'application/json': { shape, ...(example !== undefined && { example }) } },
    ...more,
  };
}

type LimitOption = {
  [K in OptionName]: (typeof options)[K] extends { isLimit: true } ? K : never;
}[OptionName];

/** A limit or a cap of the tables (limits/limit-table.ts) whose maximum clients can see. */
export type PublicLimit = { readonly maximum: LimitOption };

/** The name of a limit in the API: that of its setting in lower case, and `sign_in_seconds`. */
type LimitName = Lowercase<Exclude<LimitOption, 'SIGN_IN_TTL_SECONDS'>> | 'sign_in_seconds';
type Limits = Readonly<Record<LimitName, number>>;

export function limitNameOf(setting: LimitOption): LimitName {
  return setting.toLowerCase().replace('_ttl', '') as LimitName; // proof: as the type says
}

const limits = optionEntries().flatMap(
  ([option, { isLimit, about }]) =>
    isLimit ? [{ option, about, name: limitNameOf(option as LimitOption) }] : [], // proof: `isLimit`
);

/** Every limit that a client can meet (spec section 8). */
export const limitsShape = named(
  'Limits',
  fields(Object.fromEntries(limits.map(({ name, about }) => [name, integerShape(`${about}.`, null)]))),
) as Shape<Limits>; // proof: a number for each option that is a limit

export function presentLimits(config: Config): Limits {
  // proof: as above
  return Object.fromEntries(limits.map(({ option, name }) => [name, config[option]])) as Limits;
}

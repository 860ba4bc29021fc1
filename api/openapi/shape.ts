/** A schema of JSON Schema 2020-12, which OpenAPI 3.1 uses. */
export type JsonSchema = Readonly<Record<string, unknown>>;

type Components = Readonly<Record<string, JsonSchema>>;

/**
 * The JSON of an answer: the type that its presenter returns, and the schema that the description publishes. Requests are
 * yup's (http/validate.ts); answers are not checked when they are sent, yup has no unions and no named parts, and its types
 * let a presenter forget an optional field.
 */
export interface Shape<T> {
  readonly schema: JsonSchema;
  /** The named schemas that `schema` refers to. */
  readonly components: Components;
  /** Never set: it only carries the type. */
  readonly wire?: T;
}

/** The type that a shape describes. */
export type Wire<S> = S extends Shape<infer T> ? T : never;

/** A field that may be absent. */
interface Optional<T> extends Shape<T> {
  readonly isOptional: true;
}

type Fields = Readonly<Record<string, Shape<unknown>>>;
/** undefined is not sent, but a presenter names every field. */
type WireOf<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Optional<unknown> ? Wire<F[K]> | undefined : Wire<F[K]>;
};

/** @param more further keywords: `pattern`, `format`, `maxLength`, `examples` … */
export function textShape(description: string, more: JsonSchema = {}): Shape<string> {
  return plain({ type: 'string', description, ...more });
}

export function addressShape(description: string, example?: string): Shape<string> {
  return textShape(description, { format: 'uri', ...(example !== undefined && { examples: [example] }) });
}

/** @param minimum null: none */
export function integerShape(
  description: string,
  minimum: number | null = 0,
  more: JsonSchema = {},
): Shape<number> {
  return plain({ type: 'integer', ...(minimum !== null && { minimum }), description, ...more });
}

export function timeShape(description: string): Shape<number> {
  const about = `${description} Unix time in milliseconds.`;
  return integerShape(about, null, { format: 'int64' });
}

export function flagShape(description: string): Shape<boolean> {
  return plain({ type: 'boolean', description });
}

export function oneOfShape<const V extends string>(
  description: string,
  values: readonly V[],
): Shape<(typeof values)[number]> {
  return plain({ type: 'string', enum: values, description });
}

export function exactShape<const V extends string | number>(description: string, value: V): Shape<V> {
  return plain({ const: value, description });
}

export function nullable<T>({ schema, components }: Shape<T>): Shape<T | null> {
  const { description, type, ...rest } = schema;
  if (typeof type === 'string') return { schema: { type: [type, 'null'], description, ...rest }, components };
  return { schema: { oneOf: [schema, { type: 'null' }] }, components };
}

export function list<T>(items: Shape<T>): Shape<readonly T[]> {
  return { schema: { type: 'array', items: items.schema }, components: items.components };
}

/** Any names with strings as values. */
export function mapShape(description: string, more: JsonSchema): Shape<Readonly<Record<string, string>>> {
  return plain({ type: 'object', description, additionalProperties: { type: 'string' }, ...more });
}

/** An object that is not described further. */
export function anyShape(description: string): Shape<Readonly<Record<string, unknown>>> {
  return plain({ type: 'object', description, additionalProperties: true });
}

export function optional<T>(shape: Shape<T>): Optional<T> {
  return { ...shape, isOptional: true };
}

export function fields<const F extends Fields>(declared: F, description?: string): Shape<WireOf<F>> {
  const entries = Object.entries(declared);
  return {
    schema: {
      type: 'object',
      ...(description !== undefined && { description }),
      properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
      required: entries.filter(([, shape]) => !('isOptional' in shape)).map(([name]) => name),
    },
    components: Object.assign({}, ...entries.map(([, { components }]) => components)),
  };
}

export function either<A, B>(a: Shape<A>, b: Shape<B>): Shape<A | B> {
  return {
    schema: { oneOf: [a.schema, b.schema] },
    components: { ...a.components, ...b.components },
  };
}

/** Gives the schema a name; other schemas refer to it by that name. */
export function named<T>(name: string, { schema, components }: Shape<T>): Shape<T> {
  return { schema: { $ref: `#/components/schemas/${name}` }, components: { ...components, [name]: schema } };
}

function plain<T>(schema: JsonSchema): Shape<T> {
  return { schema, components: {} };
}

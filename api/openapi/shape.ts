/** A schema of JSON Schema 2020-12, which OpenAPI 3.1 speaks. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export type Components = Readonly<Record<string, JsonSchema>>;

/**
 * What a value on the wire is: the type that the presenter must return and the schema that the description publishes
 * are one declaration, so that neither can drift from the other.
 */
export interface Shape<T> {
  readonly schema: JsonSchema;
  /** The named schemas that it refers to. */
  readonly components: Components;
  /** Never there: it carries the type. */
  readonly wire?: T;
}

/** The type that a shape describes. */
export type Wire<S> = S extends Shape<infer T> ? T : never;

/** A field that may be missing. */
interface Optional<T> extends Shape<T> {
  readonly isOptional: true;
}

type Fields = Readonly<Record<string, Shape<unknown>>>;
type RequiredKeys<F extends Fields> = {
  [K in keyof F]: F[K] extends Optional<unknown> ? never : K;
}[keyof F];
type WireOf<F extends Fields> = { readonly [K in RequiredKeys<F>]: Wire<F[K]> } & {
  readonly [K in Exclude<keyof F, RequiredKeys<F>>]?: Wire<F[K]>;
};

/** @param more further keywords: `pattern`, `format`, `maxLength`, `examples` … */
export function text(description: string, more: JsonSchema = {}): Shape<string> {
  return plain({ type: 'string', description, ...more });
}

export function address(description: string, example: string): Shape<string> {
  return text(description, { format: 'uri', examples: [example] });
}

/** An integer, from `minimum` on. */
export function integer(description: string, minimum = 0, more: JsonSchema = {}): Shape<number> {
  return plain({ type: 'integer', minimum, description, ...more });
}

/** A moment. */
export function time(description: string): Shape<number> {
  const about = `${description} Unix time in milliseconds.`;
  return integer(about, 0, { format: 'int64', examples: [1795272214339] });
}

export function flag(description: string): Shape<boolean> {
  return plain({ type: 'boolean', description });
}

export function oneOf<const V extends string>(
  description: string,
  values: readonly V[],
): Shape<(typeof values)[number]> {
  return plain({ type: 'string', enum: values, description });
}

/** That value and no other. */
export function exactly<const V extends string | number>(description: string, value: V): Shape<V> {
  return plain({ const: value, description });
}

/** The same, or null. */
export function nullable<T>({ schema, components }: Shape<T>): Shape<T | null> {
  const { description, type, ...rest } = schema;
  if (typeof type === 'string') return { schema: { type: [type, 'null'], description, ...rest }, components };
  return { schema: { oneOf: [schema, { type: 'null' }] }, components };
}

export function list<T>(items: Shape<T>): Shape<readonly T[]> {
  return { schema: { type: 'array', items: items.schema }, components: items.components };
}

/** Names of the caller's choice, each with a text. */
export function map(description: string, more: JsonSchema): Shape<Readonly<Record<string, string>>> {
  return plain({ type: 'object', description, additionalProperties: { type: 'string' }, ...more });
}

/** Names and values that depend on the case. */
export function anything(description: string): Shape<Readonly<Record<string, unknown>>> {
  return plain({ type: 'object', description, additionalProperties: true });
}

export function optional<T>(shape: Shape<T>): Optional<T> {
  return { ...shape, isOptional: true };
}

/** An object of these fields and no others. */
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

/** Either of two. */
export function either<A, B>(one: Shape<A>, other: Shape<B>): Shape<A | B> {
  return {
    schema: { oneOf: [one.schema, other.schema] },
    components: { ...one.components, ...other.components },
  };
}

/** The same under a name of its own, at which everything refers to it. */
export function named<T>(name: string, { schema, components }: Shape<T>): Shape<T> {
  return { schema: { $ref: `#/components/schemas/${name}` }, components: { ...components, [name]: schema } };
}

function plain<T>(schema: JsonSchema): Shape<T> {
  return { schema, components: {} };
}

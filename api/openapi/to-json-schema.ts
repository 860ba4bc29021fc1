import type { Schema } from 'yup';

type Keywords = Readonly<Record<string, unknown>>;

/** What `describe()` gives of a schema, as far as ours use it. */
interface Described {
  readonly type: string;
  readonly optional?: boolean;
  readonly nullable?: boolean;
  readonly meta?: Keywords;
  readonly tests?: readonly { readonly name?: string; readonly params?: Keywords }[];
  readonly fields?: Readonly<Record<string, Described>>;
}

/**
 * The JSON Schema of a yup schema that checks requests. Each test says in its `params.json` what it demands in those
 * words; of two that use one keyword the later counts, so it must demand what the earlier does. `meta` adds what is no
 * demand: descriptions and examples.
 */
export function toJsonSchema(schema: Schema): Keywords {
  return convert(schema.describe() as unknown as Described); // proof: the shape that yup documents
}

function convert({ type, nullable, meta, tests = [], fields }: Described): Keywords {
  const demands: Keywords = Object.assign({}, ...tests.map(({ params }) => params?.json));
  return {
    ...(type !== 'mixed' && { type: nullable ? [type, 'null'] : type }),
    ...meta,
    ...(fields !== undefined && convertFields(fields)),
    ...demands,
  };
}

function convertFields(fields: Readonly<Record<string, Described>>): Keywords {
  const entries = Object.entries(fields);
  const required = entries.filter(([, { optional }]) => optional === false).map(([name]) => name);
  return {
    properties: Object.fromEntries(entries.map(([name, field]) => [name, convert(field)])),
    ...(required.length > 0 && { required }),
  };
}

/** What JSON Schema cannot say: a string of at most so many UTF-8 bytes. A character takes at least one. */
export function atMostBytesOf(limit: number): Keywords {
  return { maxLength: limit, 'x-max-bytes': limit };
}

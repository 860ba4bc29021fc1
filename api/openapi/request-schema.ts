import type { ObjectSchema, Schema } from 'yup';
import { slugPattern } from '../../shared/domain/ids.ts';
import { maxVersionNumber } from '../http/parameters.ts';
import type { Parameter } from './operation.ts';
import type { JsonSchema } from './shape.ts';

/** What yup's `describe()` returns for our schemas. */
interface Described {
  readonly type: string;
  readonly optional?: boolean;
  readonly nullable?: boolean;
  readonly meta?: JsonSchema;
  readonly tests?: readonly { readonly name?: string; readonly params?: { readonly json?: JsonSchema } }[];
  readonly fields?: Readonly<Record<string, Described>>;
}

/**
 * The JSON Schema of a yup schema, so that the description publishes the rules that check requests. `params.json` of
 * each test holds its keywords; if two tests set one keyword, the later test wins. `meta` adds descriptions and examples.
 */
export function toJsonSchema(schema: Schema): JsonSchema {
  return convert(schema.describe() as unknown as Described); // proof: the shape that yup documents
}

function convert({ type, nullable, meta, tests = [], fields }: Described): JsonSchema {
  const rules: JsonSchema = Object.assign({}, ...tests.map(({ params }) => params?.json));
  return {
    ...(type !== 'mixed' && { type: nullable ? [type, 'null'] : type }),
    ...meta,
    ...(fields !== undefined && convertFields(fields)),
    ...rules,
  };
}

function convertFields(fields: Readonly<Record<string, Described>>): JsonSchema {
  const entries = Object.entries(fields);
  const required = entries.filter(([, { optional }]) => optional === false).map(([name]) => name);
  return {
    properties: Object.fromEntries(entries.map(([name, field]) => [name, convert(field)])),
    ...(required.length > 0 && { required }),
  };
}

/** The fields of a query's schema as parameters. */
export function queryParameters(schema: ObjectSchema<object>): Parameter[] {
  const { properties, required = [] } = toJsonSchema(schema) as {
    properties: Record<string, JsonSchema>; // proof: `convertFields`
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: 'query',
    description: String(description),
    schema: rest,
    ...(required.includes(name) && { required: true }),
  }));
}

export function pathParameter(name: string, description: string, schema: JsonSchema): Parameter {
  return { name, in: 'path', description, schema, required: true };
}

export const slugParameter = pathParameter('slug', 'The slug of the drop.', {
  type: 'string',
  pattern: slugPattern.source,
});

/** Of paths with a version. */
export const versionParameters = [
  slugParameter,
  pathParameter('n', 'The number of the version.', {
    type: 'integer',
    minimum: 1,
    maximum: maxVersionNumber,
  }),
];

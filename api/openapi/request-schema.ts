import type { ObjectSchema, Schema } from 'yup';
import { commentIdPattern } from '../../shared/comments/comment.ts';
import { tokenIdPattern } from '../../shared/credentials/token.ts';
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

/** The JSON Schema of a yup schema: `params.json` of its tests (a later one wins); `meta`: descriptions, examples. */
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

const inPath = (name: string, description: string, schema: JsonSchema): Parameter => {
  return { name, in: 'path', description, schema, required: true };
};

/** What stands for a name with a colon in the path of a route. */
const segments: readonly Parameter[] = [
  inPath('slug', 'The slug of the drop.', { type: 'string', pattern: slugPattern.source }),
  inPath('n', 'The number of the version.', { type: 'integer', minimum: 1, maximum: maxVersionNumber }),
  inPath('id', 'The first 12 hex characters of the hash of the token.', {
    type: 'string',
    pattern: tokenIdPattern.source,
  }),
  inPath('comment', 'The id of the comment.', { type: 'string', pattern: commentIdPattern.source }),
  inPath('secret', 'The last part of `upload_url`.', { type: 'string', minLength: 1 }),
];

/** The parameters of a route's path, such as `/p/:slug`. */
export function pathParameters(path: string): readonly Parameter[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => {
    const found = segments.find((one) => one.name === name);
    if (found === undefined) throw new Error(`${path}: nothing describes the parameter ${name}`);
    return found;
  });
}

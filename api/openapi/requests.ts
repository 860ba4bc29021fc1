import type { ObjectSchema } from 'yup';
import type { Config } from '../../shared/config/config.ts';
import { slugPattern } from '../../shared/domain/ids.ts';
import { tokenIdPattern } from '../../shared/domain/token.ts';
import { metadataKeySchema, metadataValueSchema } from '../drops/fields.ts';
import { dropQuery, metadataPrefix } from '../drops/list-query.ts';
import { createDropRequests } from '../drops/requests.ts';
import { maxParameters, maxVersionNumber } from '../http/parameters.ts';
import { pollQuery, startBody } from '../sign-in/schema.ts';
import { toJsonSchema } from './to-json-schema.ts';

type Keywords = Readonly<Record<string, unknown>>;

/** A parameter as OpenAPI has it. */
export interface DescribedParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly description: string;
  readonly schema: Keywords;
  readonly required: boolean;
}

export type RequestSchemas = ReturnType<typeof describeRequests>;

/** The bodies and parameters of the API, from the very schemas and patterns that check requests. */
export function describeRequests(config: Config) {
  const { created, replaced, patched, gated } = createDropRequests(config).schemas;
  const list = queryOf(dropQuery(config));
  return {
    start: toJsonSchema(startBody(config)),
    create: toJsonSchema(created),
    replace: toJsonSchema(replaced),
    patch: toJsonSchema(patched),
    passcode: toJsonSchema(gated),
    poll: queryOf(pollQuery),
    list,
    filters: filters(config, list.length),
    slug: inPath('slug', 'The slug of the drop.', { type: 'string', pattern: slugPattern.source }),
    version: inPath('n', 'The number of the version.', {
      type: 'integer',
      minimum: 1,
      maximum: maxVersionNumber,
    }),
    tokenId: inPath('id', 'The first 12 hex characters of the hash of the token.', {
      type: 'string',
      pattern: tokenIdPattern.source,
    }),
  };
}

function queryOf(schema: ObjectSchema<object>): DescribedParameter[] {
  const { properties, required } = toJsonSchema(schema);
  const names = Array.isArray(required) ? required : [];
  return Object.entries(properties as Record<string, Keywords>).map(([name, { description, ...rest }]) => ({
    name,
    in: 'query',
    description: String(description),
    schema: rest,
    required: names.includes(name),
  }));
}

/**
 * All `metadata.<key>` together: the properties of an exploded object are parameters of their own.
 * @param besides how many parameters the list has of its own
 */
function filters(config: Config, besides: number) {
  const { maxLength, pattern } = metadataKeySchema(config);
  return {
    name: 'filters',
    in: 'query',
    description: `Any number of \`metadata.<key>=<value>\`, such as \`metadata.project=demo\`: only drops whose metadata has the key with exactly that value. All must match. A query has at most ${maxParameters} parameters. With openapi-fetch: \`createClient({ baseUrl, querySerializer: { object: { style: "form", explode: true } } })\`, and \`query: { filters: { "metadata.project": "demo" } }\`.`,
    required: false,
    style: 'form',
    explode: true,
    schema: {
      type: 'object',
      additionalProperties: metadataValueSchema(config),
      propertyNames: {
        maxLength: metadataPrefix.length + maxLength,
        pattern: pattern.replace('^', `^${metadataPrefix.replace('.', '\\.')}`),
      },
      maxProperties: maxParameters - besides,
      examples: [{ 'metadata.project': 'demo' }],
    },
  } as const;
}

function inPath(name: string, description: string, schema: Keywords): DescribedParameter {
  return { name, in: 'path', description, schema, required: true };
}

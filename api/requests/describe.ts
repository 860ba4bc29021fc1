import type { ObjectSchema } from 'yup';
import type { Config } from '../../shared/config.ts';
import { slugPattern } from '../../shared/domain/ids.ts';
import { tokenIdPattern } from '../../shared/domain/token.ts';
import { metadataKeySchema, metadataValueSchema } from './drop-fields.ts';
import { dropQuery, metadataPrefix } from './drop-query.ts';
import { createDropRequests } from './drops.ts';
import { maxVersionNumber } from './params.ts';
import { maxParameters } from './query.ts';
import { pollQuery, startBody } from './sign-in.ts';
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
    slug: inPath('slug', 'The drop.', { type: 'string', pattern: slugPattern.source }),
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
 * All `metadata.<key>` together: the properties of an exploded object are parameters of their own. The rules of keys and
 * values stand beside the schema, because parameters of any other name may be there too, and are ignored.
 * @param besides how many parameters the list has of its own
 */
function filters(config: Config, besides: number) {
  return {
    name: 'filters',
    in: 'query',
    description: `Any number of \`metadata.<key>=<value>\`: only drops whose metadata has the key with exactly that value, of at most ${config.METADATA_VALUE_MAX_CHARACTERS} characters. All must hold. A query has at most ${maxParameters} parameters, repeats included.`,
    required: false,
    style: 'form',
    explode: true,
    schema: {
      type: 'object',
      // readQuery refuses names with brackets, and with them what objects are spelled as; all else is text on its way.
      additionalProperties: { type: ['string', 'number', 'boolean', 'null', 'array'], items: {} },
      propertyNames: { pattern: '^[^\\[\\]]*$' },
      maxProperties: maxParameters - besides,
      'x-prefix': metadataPrefix,
      'x-keys': metadataKeySchema(config),
      'x-values': metadataValueSchema(config),
      examples: [{ 'metadata.project': 'demo' }],
    },
  } as const;
}

function inPath(name: string, description: string, schema: Keywords): DescribedParameter {
  return { name, in: 'path', description, schema, required: true };
}

import type { ApiDescription, DescribedOperation, DescribedResponse, Reference } from './document.ts';
import type { JsonSchema } from './shape.ts';

/**
 * The description as programs read it, without repetitions:
 * - Parameters, texts and numbers of several operations are components. Objects are not: generators name classes by place.
 * - The example of a schema is at the schema; those of its fields, and of bodies' fields, are left out.
 */
export function withoutRepetitions(api: ApiDescription): object {
  const operations = Object.values(api.paths).flatMap((item) => Object.values(item));
  const { isBody, bodies } = findBodies(api, operations);
  const fields = createPool('schemas', bodies.flatMap(plainFields));
  const parameters = createPool(
    'parameters',
    operations.flatMap((operation) => operation.parameters ?? []).map((one) => [one.name, one]),
  );
  const examples = firstExamples(operations);

  function shareFields(schema: JsonSchema): JsonSchema {
    if (!('properties' in schema)) return schema;
    const properties = mapValues(propertiesOf(schema), (field, name) =>
      fields.refer(componentName(name), withoutExamples(field)),
    );
    return { ...schema, properties };
  }

  function shareSchema(schema: JsonSchema, name: string): JsonSchema {
    const ref = refTo('schemas', name);
    if (isBody(ref)) return shareFields(schema);
    return examples.has(ref) ? { ...withoutExamples(schema), examples: [examples.get(ref)] } : schema;
  }

  function shareExample(response: DescribedResponse | Reference): DescribedResponse | Reference {
    if ('$ref' in response || response.content === undefined) return response;
    const content = mapValues(response.content, ({ schema, ...rest }) =>
      examples.has(schema.$ref) ? { schema } : { schema, ...rest },
    );
    return { ...response, content };
  }

  function shareOperation({
    parameters: own,
    requestBody,
    responses,
    ...operation
  }: DescribedOperation): object {
    const content =
      requestBody && mapValues(requestBody.content, (one) => ({ ...one, schema: shareFields(one.schema) }));
    return {
      ...operation,
      ...(own && { parameters: own.map((one) => parameters.refer(one.name, one)) }),
      ...(requestBody && { requestBody: { ...requestBody, content } }),
      responses: mapValues(responses, shareExample),
    };
  }

  const schemas = { ...fields.components, ...mapValues(api.components.schemas, shareSchema) };
  const components = { ...api.components, schemas, parameters: parameters.components };
  return { ...api, paths: mapValues(api.paths, (item) => mapValues(item, shareOperation)), components };
}

/** What `entries` have more than once with one name, and what stands for it then. */
function createPool<T extends object>(
  kind: 'parameters' | 'schemas',
  entries: readonly (readonly [name: string, value: T])[],
) {
  const texts = entries.map((entry) => JSON.stringify(entry));
  const components = Object.fromEntries(entries.filter((_, at) => texts.indexOf(texts[at] ?? '') < at));
  return {
    components,
    refer: (name: string, value: T): T | Reference =>
      JSON.stringify(components[name]) === JSON.stringify(value) ? { $ref: refTo(kind, name) } : value,
  };
}

/** The schemas of JSON bodies, and whether a reference leads to one. */
function findBodies({ components }: ApiDescription, operations: readonly DescribedOperation[]) {
  const schemas = operations.flatMap(({ requestBody }): JsonSchema[] => {
    const json = requestBody?.content['application/json'];
    return json === undefined ? [] : [json.schema];
  });
  const names = new Set(schemas.map(({ $ref }) => $ref));
  const named = Object.entries(components.schemas).filter(([name]) => names.has(refTo('schemas', name)));
  return {
    isBody: (ref: string) => names.has(ref),
    bodies: [...schemas, ...named.map(([, schema]) => schema)],
  };
}

function plainFields(schema: JsonSchema): [name: string, field: JsonSchema][] {
  const plain = Object.entries(propertiesOf(schema)).filter(([, { type }]) => type !== 'object');
  return plain.map(([name, field]) => [componentName(name), withoutExamples(field)]);
}

function propertiesOf({ properties = {} }: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return properties as Readonly<Record<string, JsonSchema>>; // proof: made by request-schema.ts
}

/** `expires_at` is `ExpiresAtField`, which no named schema of an answer is. */
function componentName(property: string): string {
  return `${property.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Field`;
}

/** By the reference to the schema. */
function firstExamples(operations: readonly DescribedOperation[]): ReadonlyMap<unknown, unknown> {
  const contents = operations.flatMap(({ responses }) =>
    Object.values(responses).flatMap((one) => ('$ref' in one ? [] : Object.values(one.content ?? {}))),
  );
  const found = contents.filter(({ schema, example }) => '$ref' in schema && example !== undefined);
  return new Map(found.reverse().map(({ schema, example }) => [schema.$ref, example]));
}

function withoutExamples(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key === 'examples' && Array.isArray(value) ? undefined : value,
  );
}

function refTo(kind: string, name: string): string {
  return `#/components/${kind}/${name}`;
}

function mapValues<T, U>(
  object: Readonly<Record<string, T>>,
  map: (value: T, key: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]));
}

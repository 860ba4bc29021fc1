import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { createBodyReader } from '../../api/http/body.ts';
import { MemoryBudget } from '../../api/http/memory-budget.ts';
import { withoutRepetitions } from '../../api/openapi/without-repetitions.ts';
import { createRoutes, type RouteTable } from '../../api/routes.ts';
import { readConfig } from '../../shared/config/config.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { createTestPages } from './layout.ts';

export interface DescribedHeader {
  readonly required?: boolean;
  readonly schema: object;
}

export interface DescribedResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, DescribedHeader | { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly description: string;
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, DescribedResponse | { readonly $ref: string }>>;
  readonly 'x-codes': Readonly<Record<string, readonly string[]>>;
  readonly [part: string]: unknown;
}

/** The published description, as far as tests read it. */
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Of any request, beside those of its operation. */
  readonly 'x-codes': Readonly<Record<string, readonly string[]>>;
  readonly [part: string]: unknown;
}

export function routesOf(services: Services): RouteTable {
  const budget = new MemoryBudget(services.config.BUFFERED_BYTES);
  return createRoutes(services, createBodyReader(budget), createTestPages());
}

/** The routes of a service with those settings, without starting one. */
export function routesWith(env: Readonly<Record<string, string>> = {}): RouteTable {
  const config = readConfig(env);
  // Proof: making the table reads these alone; what else a handler needs it asks for when it is called.
  const parts = { config, oidc: null, github: null, signInKey: null, limits: {}, moderation: {} };
  return routesOf(parts as unknown as Services);
}

/** The description of a service with those settings, without starting one. */
export function describeWith(env: Readonly<Record<string, string>> = {}): Description {
  return JSON.parse(JSON.stringify(withoutRepetitions(routesWith(env).describe()))) as Description; // proof: read as such by the tests that check its form
}

/** What a reference inside the description stands for. */
export function resolve<T extends object>(description: Description, node: T | { readonly $ref: string }): T {
  if (!('$ref' in node)) return node;
  const parts = node.$ref.replace('#/', '').split('/');
  const found = parts.reduce<unknown>(
    (part, name) => Reflect.get(Object(part), decodePart(name)),
    description,
  );
  if (found === undefined) throw new Error(`${node.$ref} leads nowhere`);
  return found as T; // proof: not known to be; what is wrong about it shows where it is read
}

function decodePart(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Validates by schemas of the description. @param isClosed objects may have the described fields alone */
export function createValidator(description: Description, isClosed: boolean) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addFormat('uri', (value) => /^https?:\/\//.test(value) && URL.canParse(value));
  ajv.addFormat('uri-reference', (value) => value !== '' && URL.canParse(value, 'http://host'));
  ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  ajv.addFormat('binary', true);
  ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
  const components = isClosed ? close(description.components) : description.components;
  ajv.addSchema({ $id: 'https://description/', components });
  const made = new Map<object, ValidateFunction>();

  /** What is wrong with the value; null: nothing. */
  return (schema: object, value: unknown): string | null => {
    const text = JSON.stringify(schema);
    const validate = made.get(schema) ?? ajv.compile(isClosed ? rooted(close(schema)) : rooted(schema));
    made.set(schema, validate);
    return validate(value) ? null : `${ajv.errorsText(validate.errors)} by ${text.slice(0, 200)}`;
  };
}

/** With references that lead into the components. */
function rooted(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"https://description/#/')) as object; // proof: it was one
}

/** The same, with no fields but those that are named. */
function close<T>(schema: T): T {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(close) as T; // proof: an array of the same
  const closed = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, close(part)]));
  const isObject = 'properties' in closed && closed.type === 'object' && !('additionalProperties' in closed);
  return (isObject ? { ...closed, unevaluatedProperties: false } : closed) as T; // proof: a schema still
}

import type { Config } from '../../shared/config/config.ts';
import { limitTable } from '../../shared/limits/limit-table.ts';
import { errorShape } from '../http/http-error.ts';
import { idempotencyKeyParameter } from '../http/idempotency-key.ts';
import { ifMatchParameter } from '../http/if-match.ts';
import { maxWarnings } from '../http/ignored.ts';
import { type Access, type Policy, policies, type Route } from '../http/route.ts';
import {
  byStatus,
  type CodesByStatus,
  codesInWords,
  codesOfEveryOperation,
  codeTable,
  errorResponse,
  errorResponses,
  unlistedByStatus,
} from './errors.ts';
import {
  type ErrorCase,
  type HeaderName,
  headers,
  limitNameOf,
  type Operation,
  type OperationReply,
  type Parameter,
  type PublicLimit,
  presentLimits,
  tags,
} from './operation.ts';
import { pathParameters } from './request-schema.ts';
import type { JsonSchema } from './shape.ts';

/** Spec section 9. */
const apiVersion = '1.2.0';

/** An OpenAPI document, with types for the parts that the API reference (`/docs`) reads. */
export interface ApiDescription {
  readonly info: { readonly description: string; readonly [part: string]: unknown };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>>; [part: string]: unknown };
  readonly [part: string]: unknown;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  readonly tags: readonly string[];
  /** Absent: a token is needed. */
  readonly security?: readonly [];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: DescribedContent };
  readonly responses: Readonly<Record<string, DescribedResponse | Reference>>;
  readonly 'x-codes': CodesByStatus;
  readonly 'x-limits'?: Readonly<Record<string, number>>;
}

export interface Reference {
  readonly $ref: string;
}

export interface DescribedResponse {
  readonly description: string;
  readonly headers?: object;
  readonly content?: DescribedContent;
}

type DescribedContent = Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;

/** The OpenAPI 3.1 description of the routes that have an operation. */
export function describeApi(
  config: Config,
  routes: readonly Pick<Route, 'method' | 'path' | 'access' | 'operation'>[],
): ApiDescription {
  const limits = presentLimits(config);
  const schemas: Record<string, JsonSchema> = { ...errorShape.components };
  const paths: Record<string, Record<string, DescribedOperation>> = {};
  for (const { method, path, access, operation } of routes) {
    if (operation === undefined) continue;
    for (const { content = {} } of operation.replies) {
      for (const { shape } of Object.values(content)) Object.assign(schemas, shape.components);
    }
    Object.assign(schemas, operation.body?.components);
    const template = path.replace(/:(\w+)/g, '{$1}');
    const described = describeOperation({ path, access }, operation, limits);
    paths[template] = { ...paths[template], [method.toLowerCase()]: described };
  }
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  nameWarnings(schemas, operations);
  const statuses = operations.flatMap((operation) => Object.keys(operation['x-codes']).map(Number));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Dropleaf',
      version: apiVersion,
      summary: 'Publish self-contained HTML pages.',
      description: introduction(config),
      contact: { name: 'The operator of this service', url: config.BASE_URL },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: config.BASE_URL, description: 'This service' }],
    security: [{ bearer: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas,
      responses: errorResponses(statuses),
      headers,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The `api_token` of the sign-in: `dl_` and 36 letters and digits.',
        },
      },
    },
    'x-codes': unlistedByStatus,
    'x-limits': limits,
  };
}

function describeOperation(
  { path, access }: Pick<Route, 'path' | 'access'>,
  operation: Operation,
  limits: ReturnType<typeof presentLimits>,
): DescribedOperation {
  const { id, tag, summary, description, body } = operation;
  const rule = describePolicy(access);
  const inPath = pathParameters(path);
  const parameters = [...inPath, ...(operation.parameters ?? []), ...rule.parameters];
  const refusals: ErrorCase[] = [...(operation.refusals ?? [])];
  if (inPath.length > 0) refusals.push('not_found');
  if (inPath.some(({ name }) => name === 'slug')) refusals.push('invalid_slug');
  if (parameters.includes(ifMatchParameter)) refusals.push('version_conflict');
  const replies = operation.replies.map((reply) => ({
    ...reply,
    headers: [...(reply.headers ?? []), ...rule.headers],
  }));
  const codes = byStatus([...codesOfEveryOperation, ...rule.refusals, ...refusals]);
  const limited = [...rule.limits, ...(operation.limits ?? [])].map(({ maximum }) => {
    const name = limitNameOf(maximum);
    return [name, limits[name]] as const;
  });
  const inWords = limited.map(([name, value]) => `\`${name}\` ${value}`).join(', ');
  return {
    operationId: id,
    summary,
    description: [
      description,
      ...(rule.scope === 'all' ? ['Scope: `all`.'] : []),
      ...(inWords === '' ? [] : [`Limits: ${inWords}.`]),
      `Errors: ${codesInWords(codes)}.`,
    ].join('\n\n'),
    tags: [tag],
    ...(!rule.needsToken && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: body.required,
        content: {
          ...(body.schema && { 'application/json': { schema: body.schema, example: body.example } }),
          ...(body.html && { 'text/html': body.html }),
          ...(body.form && { 'application/x-www-form-urlencoded': { schema: body.form } }),
        },
      },
    }),
    responses: {
      ...Object.fromEntries(replies.map((reply) => [reply.status, describeReply(reply)])),
      ...Object.fromEntries(Object.keys(codes).map((status) => [status, errorResponse(Number(status))])),
      default: errorResponse('default'),
    },
    'x-codes': codes,
    ...(limited.length > 0 && { 'x-limits': Object.fromEntries(limited) }),
  };
}

/** What the access policy of an endpoint adds to its description. */
function describePolicy(access: Access) {
  const { token, scope, limit, body, allowsSuspended, takesKey }: Policy = policies[access];
  const isWrite = limit === limitTable.write;
  const hasKey = isWrite || takesKey === true;
  const refusals: ErrorCase[] = [];
  if (token !== undefined) refusals.push('unauthorized');
  if (token === 'required') refusals.push('invalid_token');
  // A suspended account, a web page of another origin that starts a sign-in, a token that may only publish.
  if ((limit !== undefined && !allowsSuspended) || scope === 'all') refusals.push('forbidden');
  if (limit !== undefined) refusals.push('rate_limited');
  if (hasKey) refusals.push('idempotency_key_reused', 'not_found'); // `not_found` of a repeat
  if (isWrite) refusals.push('idempotency_key_in_use');
  if (body !== undefined)
    refusals.push('invalid_json', ['invalid_json', 415], isWrite ? 'html_too_large' : ['invalid_arg', 413]);
  const limits: PublicLimit[] = [];
  if (limit !== undefined) limits.push(limit);
  if (isWrite) limits.push(limitTable.writeOfDay);
  const parameters: readonly Parameter[] = hasKey ? [idempotencyKeyParameter] : [];
  const headers: readonly HeaderName[] = hasKey ? ['Idempotency-Replayed'] : [];
  return { needsToken: token !== undefined, scope, refusals, limits, parameters, headers };
}

/** Answers of calls that have a query or a JSON body: http/send.ts adds the field to their objects. */
function nameWarnings(schemas: Record<string, JsonSchema>, operations: readonly DescribedOperation[]): void {
  const takesNames = ({ parameters = [], requestBody }: DescribedOperation) =>
    requestBody !== undefined || parameters.some((one) => one.in === 'query');
  const answers = operations.filter(takesNames).flatMap(({ responses }) => Object.values(responses));
  const answered = answers.flatMap((one) => ('$ref' in one ? [] : (one.content?.['application/json'] ?? [])));
  const references = new Set(answered.map(({ schema }) => schema.$ref));
  for (const [name, schema] of Object.entries(schemas)) {
    if (!references.has(`#/components/schemas/${name}`)) continue;
    const warnings = { $ref: '#/components/schemas/Warnings' };
    schemas[name] = { ...schema, properties: { ...Object(schema.properties), warnings } };
  }
  schemas.Warnings = {
    type: 'array',
    description: 'What was ignored, and what will not work in the document or is a risk.',
    maxItems: maxWarnings,
    items: { type: 'string' },
  };
}

function describeReply({ description, headers: names = [], content }: OperationReply): DescribedResponse {
  const bodies = Object.entries(content ?? {}).map(([type, { shape, example }]) => [
    type,
    { schema: shape.schema, ...(example !== undefined && { example }) },
  ]);
  const references = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return {
    description,
    ...(names.length > 0 && { headers: Object.fromEntries(references) }),
    ...(content && { content: Object.fromEntries(bodies) }),
  };
}

function introduction({ BASE_URL: base }: Config): string {
  return `Post one complete, self-contained HTML document and get a public address back. If you write an agent, start \
with [the agent protocol](${base}/api/onboard).

**Requests.** Bodies are JSON in UTF-8. Unknown fields and parameters are ignored; \`warnings\` in the object of the answer names them. \
Lengths are counted in Unicode code points, sizes (\`x-max-bytes\`) in bytes of UTF-8. Only \`html\` and \`context\` may \
contain U+0000. Every GET also answers HEAD, with the same status and headers; HEAD changes nothing. Scripts of other \
origins can read openapi.json, the discovery document and the agent protocol; all other answers have no CORS headers.

**Errors.** Every answer from 400 on is an \`Error\`: switch on \`error.code\`. Each operation lists its codes (for programs: \
\`x-codes\`). A browser that navigates gets the same error inside an HTML page. An unknown path is 404 \`not_found\`. The \
address of a page with a slash at its end redirects (308) to the address without it. A method that the path does not have \
is 405 \`invalid_arg\`, with \`Allow\`. Quote \`X-Request-Id\` when you report a problem.

${codeTable()}

**Retries.** A write with an \`Idempotency-Key\` is safe to repeat: send the same key, URL and bytes again until you get an \
answer. The write happens once; a repeat of a done write gets the first status, the drop as it is now (404 if it was deleted) \
and \`Idempotency-Replayed: true\`, and is no write for any limit. The same key with another URL or body is 422 \
\`idempotency_key_reused\`; while the first request runs, or if a process died with it, 409 \`idempotency_key_in_use\` says \
when to repeat. A refused request frees its key. Keys are kept for 24 hours per account.

**Limits.** \`x-limits\` has the limits of this service, and so has \
[the discovery document](${base}/.well-known/dropleaf.json). The schema \`Limits\` says what each limit counts. Every write counts \
for the minute, also if it is refused; accepted writes count for the day.`;
}

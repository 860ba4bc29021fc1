import {
  createValidator,
  type DescribedHeader,
  type DescribedOperation,
  type DescribedResponse,
  type Description,
  describeWith,
  resolve,
} from './description.ts';
import { parsePage } from './html.ts';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly body: unknown;
}

export interface Asked {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Whether it named a host of its own: those of drops serve their raw pages alone. */
  readonly hasHost: boolean;
}

interface Path {
  readonly pattern: RegExp;
  readonly operations: Readonly<Record<string, DescribedOperation>>;
}

interface Checker {
  readonly description: Description;
  /** Those without parameters first. */
  readonly paths: readonly Path[];
  readonly faultOf: (schema: object, value: unknown) => string | null;
}

const errorSchema = { $ref: '#/components/schemas/Error' };

let checker: Checker | undefined;

/**
 * Every answer must be as described, with the headers that protect browsers. @throws Error that says what is not described
 */
export function checkAnswer(asked: Asked, answer: Answer): void {
  if (isOfAnEdge(answer)) return;
  checker ??= createChecker();
  const fault = findFault(checker, asked, answer);
  if (fault === null) return;
  const { method, path } = asked;
  throw new Error(
    `${method} ${path.slice(0, 120)} was answered ${answer.status}, not as described: ${fault}`,
  );
}

/** Edges answer in their own words, and change headers of ours. */
function isOfAnEdge({ headers }: Answer): boolean {
  return headers.via !== undefined || headers.server !== undefined || headers['x-varnish'] !== undefined;
}

function createChecker(): Checker {
  const description = describeWith();
  const names = Object.keys(description.paths).sort((a, b) => countParameters(a) - countParameters(b));
  const paths = names.map((name) => ({
    pattern: new RegExp(`^${name.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    operations: description.paths[name] ?? {},
  }));
  return { description, paths, faultOf: createValidator(description, true) };
}

function countParameters(path: string): number {
  return path.split('{').length;
}

/** null: all of it is as described. */
function findFault(parts: Checker, asked: Asked, answer: Answer): string | null {
  const isHead = asked.method === 'HEAD';
  if (isHead && answer.bytes.length > 0) return 'it has a body';
  if (answer.headers['x-content-type-options'] !== 'nosniff') return 'it has no nosniff';
  if (answer.headers['content-security-policy'] === undefined) return 'it has no Content-Security-Policy';
  const envelope = answer.status >= 400 && !isHead ? envelopeIn(answer) : undefined;
  if (envelope !== undefined) {
    const fault = parts.faultOf(errorSchema, envelope);
    if (fault !== null) return fault;
  }
  const operation = findOperation(parts, asked, answer);
  if (operation === undefined) return null;
  return findOperationFault(parts, operation, answer, isHead, envelope);
}

/** The envelope of a refusal: its body, or in a page for people the data beside it. */
function envelopeIn({ headers, text, body }: Answer): unknown {
  if (!headers['content-type']?.startsWith('text/html')) return body ?? null;
  return JSON.parse(parsePage(text).find('script', { type: 'application/json' })?.text ?? 'null');
}

/** undefined: it is not described. The hosts of drops serve raw pages alone, and answer 404 otherwise. */
function findOperation(
  { paths }: Checker,
  { method, path, hasHost }: Asked,
  { status }: Answer,
): DescribedOperation | undefined {
  if (hasHost && status === 404) return undefined;
  const [bare = ''] = path.replace(/^https?:\/\/[^/]*/i, '').split('?', 1);
  const name = method === 'HEAD' ? 'get' : method.toLowerCase();
  return paths.find(({ pattern }) => pattern.test(bare))?.operations[name];
}

function findOperationFault(
  parts: Checker,
  operation: DescribedOperation,
  answer: Answer,
  isHead: boolean,
  envelope: unknown,
): string | null {
  const { description } = parts;
  const { status } = answer;
  const codes = [...(operation['x-codes'][status] ?? []), ...(description['x-codes'][status] ?? [])];
  const described =
    operation.responses[status] ?? (codes.length > 0 ? operation.responses.default : undefined);
  if (described === undefined) return 'this status is not described';
  const response = resolve<DescribedResponse>(description, described);
  const fault = findHeaderFault(parts, response, answer);
  if (fault !== null || isHead) return fault;
  if (envelope === undefined) return findBodyFault(parts, response, answer);
  const { error } = envelope as { error: { code: string } }; // proof: `findFault` has held it against the schema
  return codes.includes(error.code) ? null : `the code ${error.code} is not described`;
}

function findHeaderFault(
  { description, faultOf }: Checker,
  response: DescribedResponse,
  { headers }: Answer,
): string | null {
  for (const [name, node] of Object.entries(response.headers ?? {})) {
    const { required, schema } = resolve<DescribedHeader>(description, node);
    const value = headers[name.toLowerCase()];
    if (value === undefined && required) return `it has no ${name}`;
    if (value === undefined) continue;
    const isNumber = 'type' in schema && schema.type === 'integer';
    const fault = faultOf(schema, isNumber ? Number(value) : value);
    if (fault !== null) return `${name}: ${value}: ${fault}`;
  }
  return null;
}

function findBodyFault(
  { faultOf }: Checker,
  { content }: DescribedResponse,
  { headers, body, bytes }: Answer,
): string | null {
  if (content === undefined) return bytes.length === 0 ? null : 'no body is described';
  const type = headers['content-type']?.split(';', 1)[0];
  if (type === undefined) return 'its body has no type';
  const described = content[type];
  if (described === undefined) return `${type} is not described`;
  if (type !== 'application/json' || headers['content-encoding'] !== undefined) return null;
  return faultOf(described.schema, body);
}

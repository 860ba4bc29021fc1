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

/** What came back, as the client reads it. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly body: unknown;
}

/** What was asked. */
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

let checker: Checker | undefined;

/**
 * Holds an answer against the published description: its status, its headers and its body must be described for what was
 * asked. The limits of the service do not matter: answers do not depend on them.
 * @throws Error that says what is not described
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

/** null: all of it is described. */
function findFault(parts: Checker, asked: Asked, answer: Answer): string | null {
  const response = findResponse(parts, asked, answer.status);
  if (response === undefined) return 'this status is not described';
  return findHeaderFault(parts, response, answer) ?? findBodyFault(parts, asked.method, response, answer);
}

function findResponse(
  { description, paths }: Checker,
  { method, path, hasHost }: Asked,
  status: number,
): DescribedResponse | undefined {
  const [bare = ''] = path.replace(/^https?:\/\/[^/]*/i, '').split('?', 1);
  const operations = paths.find(({ pattern }) => pattern.test(bare))?.operations;
  const responses = operations?.[method.toLowerCase()]?.responses;
  const others = description['x-other-answers'];
  const found =
    responses?.[status] ??
    (responses === undefined || (hasHost && status === 404) ? others[status] : undefined) ??
    // What any request may be answered, any path's operation lists.
    (responses === undefined && status >= 400 ? description.paths['/']?.get?.responses[status] : undefined);
  return found && resolve<DescribedResponse>(description, found);
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
  method: string,
  { content }: DescribedResponse,
  { headers, text, body, bytes }: Answer,
): string | null {
  if (method === 'HEAD') return bytes.length === 0 ? null : 'it has a body';
  if (content === undefined) return bytes.length === 0 ? null : 'no body is described';
  const type = headers['content-type']?.split(';', 1)[0];
  if (type === undefined) return bytes.length === 0 ? null : 'its body has no type';
  if (content[type] === undefined) return `${type} is not described`;
  const json = content['application/json'];
  if (json === undefined || headers['content-encoding'] !== undefined) return null;
  if (type === 'application/json') return faultOf(json.schema, body);
  if (type !== 'text/html') return null;
  const data = parsePage(text).find('script', { type: 'application/json' });
  return data === undefined ? 'the page holds no envelope' : faultOf(json.schema, JSON.parse(data.text));
}

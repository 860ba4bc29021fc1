import { Agent, type AgentOptions, type IncomingMessage, request as send } from 'node:http';
import { checkAnswer } from './check-answer.ts';
import type { WireBody } from './wire.ts';

export interface RequestOptions {
  readonly token?: string | undefined;
  readonly body?: unknown;
  /** Sent as it is, as `application/json` unless `headers` says otherwise. */
  readonly raw?: string | Uint8Array;
  /** Names in lower case. An empty value leaves out a header that would be sent otherwise. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly onSent?: () => void;
}

export interface Answer<T = WireBody> {
  readonly status: number;
  /** By names in lower case; a header that came more than once is joined by ', '. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly cookies: readonly string[];
  /** As they came, still encoded. */
  readonly bytes: Buffer;
  readonly text: string;
  /** The JSON; undefined where the answer is something else, or compressed. */
  readonly body: T;
}

type ConnectionOptions = Pick<AgentOptions, 'localAddress' | 'keepAlive' | 'maxSockets' | 'scheduling'>;

export interface Client {
  readonly url: string;
  request<T = WireBody>(method: string, path: string, options?: RequestOptions): Promise<Answer<T>>;
  get<T = WireBody>(path: string, options?: RequestOptions): Promise<Answer<T>>;
  close(): void;
}

/** The same as `createPlainClient`, and holds every answer against the published description. */
export const createClient: typeof createPlainClient = (url, defaults, connections) =>
  buildClient(url, defaults, connections, checkAnswer);

/** Sends exactly what is given, follows and decodes nothing, keeps connections. @param url without a trailing slash */
export function createPlainClient(
  url: string,
  defaults: Readonly<Record<string, string>> = {},
  connections?: ConnectionOptions,
): Client {
  return buildClient(url, defaults, connections, () => undefined);
}

function buildClient(
  url: string,
  defaults: Readonly<Record<string, string>> = {},
  connections: ConnectionOptions | undefined,
  check: typeof checkAnswer,
): Client {
  // The server ends an idle connection later (5 s, or as service.ts says): none is used while it is ended.
  const agent = new Agent({ keepAlive: true, timeout: 2_000, ...connections });
  const { hostname, port } = new URL(url);

  function request<T = WireBody>(method: string, path: string, options: RequestOptions = {}) {
    const payload = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const headers = headersOf(payload, options, defaults);
    return new Promise<Answer<T>>((resolve, reject) => {
      const sent = send({ agent, hostname, port, method, path, headers }, (answer) => {
        const whole = readAnswer<T>(answer).then((read) => {
          check({ method, path, hasHost: headers.host !== undefined }, read);
          return read;
        });
        whole.then(resolve, reject);
      });
      if (options.onSent !== undefined) sent.on('finish', options.onSent);
      sent.on('error', reject); // after an answer came: the promise is settled by it
      sent.end(payload);
    });
  }

  return {
    url,
    request,
    get: (path, options) => request('GET', path, options),
    close: () => agent.destroy(),
  };
}

function headersOf(
  payload: string | Uint8Array | undefined,
  options: RequestOptions,
  defaults: Readonly<Record<string, string>>,
): Record<string, string> {
  const headers: Record<string, string> = { ...defaults };
  if (options.token !== undefined) headers.authorization = `Bearer ${options.token}`;
  if (payload !== undefined) {
    headers['content-type'] = 'application/json';
    headers['content-length'] = String(Buffer.byteLength(payload));
  }
  Object.assign(headers, options.headers);
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
}

async function readAnswer<T>(answer: IncomingMessage): Promise<Answer<T>> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const text = bytes.toString('utf8');
  const headers: Record<string, string | undefined> = {};
  for (const [name, values] of Object.entries(answer.headersDistinct)) headers[name] = values?.join(', ');
  const isReadable = headers['content-encoding'] === undefined && text !== '';
  const isJson = isReadable && /^application\/json\b/.test(headers['content-type'] ?? '');
  // Not proven: what the body holds is what the tests look at, and a field that is not there fails them.
  const body = (isJson ? JSON.parse(text) : undefined) as T;
  return {
    status: answer.statusCode ?? 0,
    headers,
    cookies: answer.headers['set-cookie'] ?? [],
    bytes,
    text,
    body,
  };
}

/** The headers that are the same in each answer to the same request. */
export function lasting({ headers }: Answer<unknown>): Record<string, string | undefined> {
  const { date: _date, connection: _connection, 'keep-alive': _keep, ...rest } = headers;
  return rest;
}

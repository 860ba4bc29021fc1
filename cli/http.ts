import { CliError, capCodes, errorCode, exitCodeOf, exitCodes } from './errors.ts';

export interface ApiRequest {
  /** undefined values are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is; `headers` says its Content-Type. */
  readonly bytes?: Uint8Array;
  /** Whether the request needs no token, and must not have one. */
  readonly isPublic?: boolean;
  /** Sent in place of the user's token. */
  readonly token?: string;
}

export interface ApiAnswer<T> {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON of the answer, an object or an array; looking at it throws CliError if it has none. Its members are not checked. */
  readonly body: T;
  readonly bytes: Uint8Array;
}

/**
 * The service, at one origin. The token goes to that origin alone: redirects are never followed.
 *
 * A request is repeated, up to four times, after an answer 429 (the service did nothing). If it can be repeated without
 * doing something twice (GET, or with an Idempotency-Key), it is also repeated after 409 with Retry-After, 502, 503, 504
 * and failures of the network. It waits as Retry-After says, at most 65 s each time, and tells the user.
 */
export interface Api {
  /**
   * @param path as in `/api/me`
   * @returns an answer with a status below 300
   * @throws CliError with the answer's status, code, details and Retry-After; exit code 4 if no token is valid, 3 if there is no answer
   */
  request<T = unknown>(method: string, path: string, request?: ApiRequest): Promise<ApiAnswer<T>>;
}

interface Connection {
  readonly url: string;
  readonly version: string;
  note(text: string): void;
  wait(seconds: number): Promise<void>;
  /** @throws CliError if there is none */
  token(): string;
  /** The error for an answer 401. */
  refused(): CliError;
}

/** Time for one try, with its answer. 2 MB take two minutes at 150 kbit/s. */
const readMs = 30_000;
const sendMs = 120_000;
const maxTries = 5;
/** The longest window that a service asks to wait for without a quota being used up is a minute. */
const maxWaitSeconds = 65;

export function createApi(connection: Connection): Api {
  return {
    async request<T>(method: string, path: string, request: ApiRequest = {}) {
      const send = prepare(connection, method, path, request);
      const isRepeatable = method === 'GET' || request.headers?.['Idempotency-Key'] !== undefined;
      for (let tries = 1; ; tries++) {
        try {
          return (await send()) as ApiAnswer<T>; // the service's contract
        } catch (error) {
          const seconds = tries < maxTries ? secondsToWait(error, tries, isRepeatable) : null;
          if (seconds === null) throw error;
          const rounded = Math.max(1, Math.round(seconds));
          connection.note(`${(error as CliError).text}. Trying again in ${rounded} s.`); // secondsToWait knows it
          await connection.wait(seconds);
        }
      }
    },
  };
}

/** @returns a function that makes one try */
function prepare(connection: Connection, method: string, path: string, request: ApiRequest) {
  const url = new URL(path, connection.url);
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  const body = request.json === undefined ? (request.bytes ?? null) : JSON.stringify(request.json);
  const headers = {
    'User-Agent': `dropleaf/${connection.version}`,
    Accept: 'application/json, */*;q=0.5',
    ...(request.json !== undefined && { 'Content-Type': 'application/json' }),
    ...request.headers,
    ...(!request.isPublic && { Authorization: `Bearer ${request.token ?? connection.token()}` }),
  };
  if (url.origin !== connection.url) throw new Error(`${path} is not a path of ${connection.url}`);

  return async (): Promise<ApiAnswer<unknown>> => {
    const answer = await receive(connection.url, url, {
      method,
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(body === null ? readMs : sendMs),
    });
    if (answer.status < 300) return withBody(answer, connection.url);
    throw answer.status === 401 && !request.isPublic ? connection.refused() : errorOf(answer, connection.url);
  };
}

interface Received extends Omit<ApiAnswer<unknown>, 'body'> {
  /** undefined: the answer is not JSON. */
  readonly json: unknown;
}

async function receive(base: string, url: URL, init: RequestInit): Promise<Received> {
  try {
    const { status, headers, bytes } = await fetchWhole(url, init);
    const isJson = headers.get('content-type')?.startsWith('application/json') ?? false;
    return { status, headers, bytes, json: isJson ? parse(bytes) : undefined };
  } catch (error) {
    throw networkError(error, base);
  }
}

async function fetchWhole(url: URL, init: RequestInit) {
  const response = await fetch(url, init);
  return {
    status: response.status,
    headers: response.headers,
    bytes: new Uint8Array(await response.arrayBuffer()),
  };
}

/** Checked when a command looks at it, because other answers are documents, or empty. */
function withBody({ json, ...answer }: Received, base: string): ApiAnswer<unknown> {
  return {
    ...answer,
    get body() {
      if (typeof json === 'object' && json !== null) return json;
      throw new CliError(`${base} did not answer with JSON: is this the address of a Dropleaf service?`, {
        status: answer.status,
      });
    },
  };
}

/** undefined: not JSON. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** The error of an answer that is not a success, in the service's own words where it has some. */
function errorOf({ status, headers, json }: Received, base: string): CliError {
  const retryAfterSeconds = readRetryAfter(headers.get('retry-after'));
  const envelope = json as { error?: { code?: unknown; message?: unknown; details?: unknown } } | undefined;
  const { code, message, details } = envelope?.error ?? {};
  if (typeof code === 'string' && typeof message === 'string') {
    const isObject = typeof details === 'object' && details !== null;
    return new CliError(message, {
      exitCode: exitCodeOf(status),
      status,
      code,
      details: isObject ? { ...details } : undefined,
      retryAfterSeconds,
    });
  }
  const location = headers.get('location');
  const what = location !== null && status < 400 ? `a redirect to ${location}` : `status ${status}`;
  const [hint, exitCode] = guessOf(status);
  return new CliError(`${base} answered with ${what}${hint}`, { exitCode, status, retryAfterSeconds });
}

/** Of an answer that has none of the service's codes: the error of something in front of it, or of another server. */
function guessOf(status: number): [hint: string, exitCode: number] {
  if (status === 413) {
    const hint =
      ': this is too large for a proxy in front of the service, whose operator can raise its limit';
    return [hint, exitCodes.refused];
  }
  if (status >= 500 || status === 429) return ['', exitCodeOf(status)];
  return [': is this the address of a Dropleaf service?', exitCodes.failed];
}

/** Seconds; undefined: not given as such. */
function readRetryAfter(header: string | null): number | undefined {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}

const networkFaults: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers there',
  ECONNRESET: 'the connection was lost',
  UND_ERR_SOCKET: 'the connection was lost',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  ETIMEDOUT: 'it takes too long',
  UND_ERR_CONNECT_TIMEOUT: 'it takes too long',
  TimeoutError: 'it takes too long',
};

/** undefined: it is another fault. */
function tlsFault(code: string): string | undefined {
  if (code.startsWith('ERR_SSL_')) return 'it does not answer over https';
  if (!/SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY)/.test(code)) return undefined;
  return 'its certificate is signed by nobody known here; set NODE_EXTRA_CA_CERTS to the file of its authority';
}

/** An answer that never came has no status. `cause` is Node's error. */
function networkError(error: unknown, base: string): CliError {
  const cause = error instanceof TypeError ? error.cause : error;
  const code = faultCode(cause);
  const reason =
    networkFaults[code] ?? tlsFault(code) ?? (cause instanceof Error ? cause.message : String(cause));
  return new CliError(`cannot reach ${base}: ${reason}`, { cause, exitCode: exitCodes.network });
}

function faultCode(cause: unknown): string {
  if (cause instanceof Error && cause.name === 'TimeoutError') return cause.name;
  return errorCode(cause) ?? '';
}

/** null: do not try again. */
function secondsToWait(error: unknown, tries: number, isRepeatable: boolean): number | null {
  if (!(error instanceof CliError)) return null;
  const { status, code = '', retryAfterSeconds, cause } = error;
  const backoff = 2 ** (tries - 2) * (0.75 + Math.random() / 2); // 0.5, 1, 2, 4 s and a quarter more or less
  const mayRepeat =
    status === 429
      ? !capCodes.includes(code)
      : isRepeatable && mayPass(status, faultCode(cause), retryAfterSeconds);
  if (mayRepeat) {
    const seconds = Math.max(retryAfterSeconds ?? 0, backoff);
    return seconds <= maxWaitSeconds ? seconds : null;
  }
  return null;
}

function mayPass(status: number | undefined, fault: string, retryAfterSeconds: number | undefined): boolean {
  if (status === undefined) return fault in networkFaults && fault !== 'ENOTFOUND';
  if (status === 409) return retryAfterSeconds !== undefined;
  return [502, 503, 504].includes(status);
}

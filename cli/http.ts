import type { IncomingHttpHeaders } from 'node:http';
import { CliError, capCodes, exitCodeOf, exitCodes } from './errors.ts';
import { exchange, type Received, type Sent } from './exchange.ts';
import { isPassingFault, networkError } from './faults.ts';
import { type Guard, isRecord, isText } from './guards.ts';
import type { CliIo } from './io.ts';
import { proxyFor } from './proxy.ts';

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
  /** The service may answer so much later. The caller repeats the request. */
  readonly waitSeconds?: number;
  /** Ends the request with its repeats before the timeout. */
  readonly limitMs?: number;
  /** Sent in place of the user's token. */
  readonly token?: string;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Uint8Array;
  /** @throws CliError if the answer is not JSON of this shape */
  json<T>(shape: Guard<T>): T;
}

/**
 * The service, at one origin; redirects are never followed, so the token goes nowhere else. A request is repeated up to four
 * times after 429, and if it is safe (GET, or with a key) after 409 with Retry-After, 502, 503, 504 and failures of the network.
 * The request waits as Retry-After says, at most 65 s each time, and says so. Without the waits of 429, all tries take no longer
 * than `timeoutMs`.
 */
export interface Api {
  /**
   * @param path as in `/api/me` @returns an answer with a status below 300
   * @throws CliError with status, code, details and Retry-After; exit code 4: no valid token, 3: no answer
   */
  request(method: string, path: string, request?: ApiRequest): Promise<ApiAnswer>;
}

interface Connection {
  readonly url: string;
  readonly version: string;
  readonly timeoutMs: number;
  /** Names a proxy. */
  readonly env: CliIo['env'];
  note(text: string): void;
  wait(seconds: number): Promise<void>;
  /** @throws CliError if there is none */
  token(): string;
  /** The error for an answer 401. */
  refused(): CliError;
}

/** Then the client prints that there is no answer yet. */
const silenceMs = 10_000;
const maxTries = 5;
/** The longest window that a service asks to wait for without a quota being used up is a minute. */
const maxWaitSeconds = 65;

export function createApi(connection: Connection): Api {
  return {
    async request(method: string, path: string, request: ApiRequest = {}) {
      const { waitSeconds } = request;
      const waiting = waitSeconds ? { timeoutMs: (waitSeconds + 10) * 1000, note: () => undefined } : null;
      const send = prepare({ ...connection, ...waiting }, method, path, request);
      const { limitMs = Number.POSITIVE_INFINITY } = request;
      let leftMs = Math.min(waiting?.timeoutMs ?? connection.timeoutMs, limitMs);
      for (let tries = 1; ; tries++) {
        const startedAt = performance.now();
        try {
          return await send(leftMs);
        } catch (error) {
          leftMs -= performance.now() - startedAt;
          const pause = pauseAfter(error, tries, canRepeat(method, request));
          if (waiting || pause === null || pause.countedMs >= leftMs) throw error;
          leftMs -= pause.countedMs;
          connection.note(`${pause.because}. Trying again in ${Math.max(1, Math.round(pause.seconds))} s.`);
          await connection.wait(pause.seconds);
        }
      }
    },
  };
}

function canRepeat(method: string, { headers }: ApiRequest): boolean {
  return method === 'GET' || headers?.['Idempotency-Key'] !== undefined;
}

/** @returns a function that makes one try */
function prepare(connection: Connection, method: string, path: string, request: ApiRequest) {
  const url = new URL(path, connection.url);
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  const body = request.json === undefined ? request.bytes : JSON.stringify(request.json);
  const headers = {
    'User-Agent': `dropleaf/${connection.version}`,
    Accept: 'application/json, */*;q=0.5',
    ...(request.json !== undefined && { 'Content-Type': 'application/json' }),
    ...request.headers,
    ...(!request.isPublic && { Authorization: `Bearer ${request.token ?? connection.token()}` }),
  };
  if (url.origin !== connection.url) throw new Error(`${path} is not a path of ${connection.url}`);

  return async (leftMs: number): Promise<ApiAnswer> => {
    const proxy = await proxyFor(url, connection.env);
    const answer = await receive(connection, url, { method, headers, body, proxy }, leftMs);
    const name = `${method} ${url.origin}${url.pathname}`;
    // Every answer to a change is JSON, or nothing.
    const isForeign = method !== 'GET' && answer.status !== 204 && answer.json === undefined;
    if (answer.status < 300 && isForeign) throw foreignAnswer(name, answer, 'JSON');
    if (answer.status < 300) return withJson(answer, name);
    if (answer.status === 401 && !request.isPublic) throw connection.refused();
    throw namePage(errorOf(answer, connection.url), path, request);
  };
}

/** `details.reason` of `--json`: the answer is not of a Dropleaf service. */
const foreign = 'not_dropleaf';

export function isForeignAnswer(error: unknown): boolean {
  return error instanceof CliError && error.facts.reason === foreign;
}

/** `json` is undefined if the answer is not JSON. */
type Read = Received & { readonly json: unknown };

async function receive(connection: Connection, url: URL, sent: Sent, leftMs: number): Promise<Read> {
  const { timeoutMs } = connection;
  const peer =
    sent.proxy === null ? connection.url : `${connection.url} through the proxy ${sent.proxy.origin}`;
  const seconds = Math.round(timeoutMs / 1000);
  const silence = setTimeout(
    () => connection.note(`${peer} has not answered yet. Giving up after ${seconds} s in all (--timeout).`),
    Math.min(silenceMs, timeoutMs / 6),
  );
  const signal = AbortSignal.timeout(Math.ceil(leftMs));
  try {
    const received = await exchange(url, sent, signal);
    const isJson = received.headers['content-type']?.startsWith('application/json') ?? false;
    return { ...received, json: isJson ? parse(received.bytes) : undefined };
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (!signal.aborted) throw networkError(error, peer);
    const hint = 'For a slow connection, give a longer --timeout';
    throw new CliError(`${peer} did not answer within ${seconds} s. ${hint}`, {
      exitCode: exitCodes.network,
      facts: { reason: 'no_answer' },
    });
  } finally {
    clearTimeout(silence);
  }
}

function withJson({ json, ...answer }: Read, request: string): ApiAnswer {
  return {
    ...answer,
    json(shape) {
      if (shape(json)) return json;
      throw foreignAnswer(request, answer, json === undefined ? 'JSON' : undefined);
    },
  };
}

/** The error for an answer that says that all is well, and is of another server: of a network that asks to sign in, too. */
export function foreignAnswer(
  request: string,
  { status }: Pick<ApiAnswer, 'status'>,
  expected = 'what a Dropleaf service answers',
): CliError {
  const facts = { reason: foreign };
  return new CliError(`the answer to ${request} is not ${expected}: is this a Dropleaf service?`, {
    status,
    facts,
  });
}

/** More than any answer has. What nests without an end takes 60 bytes of memory for each of its own. */
const maxJsonBytes = 8 * 1024 * 1024;

/** undefined: not JSON, too long, or so deep that it could not be printed. */
function parse(bytes: Uint8Array): unknown {
  if (bytes.length > maxJsonBytes) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    JSON.stringify(value); // throws if it is too deep
    return value;
  } catch {
    return undefined;
  }
}

function errorOf({ status, headers, json }: Read, base: string): CliError {
  const retryAfterSeconds = readRetryAfter(headers['retry-after']);
  const { code, message, details } = isRecord(json) && isRecord(json.error) ? json.error : {};
  if (isText(code) && isText(message)) {
    return new CliError(message, {
      exitCode: exitCodeOf(status),
      status,
      code,
      details: isRecord(details) ? details : undefined,
      retryAfterSeconds,
    });
  }
  const { location } = headers;
  const what = location !== undefined && status < 400 ? `a redirect to ${location}` : `status ${status}`;
  const [hint, exitCode] = guessOf(status);
  const facts = exitCode === exitCodes.failed ? { reason: foreign } : {};
  return new CliError(`${base} answered with ${what}${hint}`, { exitCode, status, retryAfterSeconds, facts });
}

/** The service says that there is no such drop or version, and not which. */
function namePage(error: CliError, path: string, { query }: ApiRequest): CliError {
  const [, slug = query?.drop, version] = /^\/api\/drops\/([^/]+)(?:\/v\/(\d+))?/.exec(path) ?? [];
  if (error.code !== 'not_found' || slug === undefined) return error;
  const isVersion = error.message.includes('version') && !path.endsWith(`${slug}/html`);
  if (isVersion && version === undefined) return error; // one of those that are compared
  const message = isVersion
    ? `the page ${slug} has no version ${version}`
    : `there is no such page: ${slug}. It was deleted, has expired, or belongs to another account`;
  return new CliError(message, { ...error });
}

/** An answer without a code of the service is from something in front of it, or from another server. */
function guessOf(status: number): [hint: string, exitCode: number] {
  if (status === 413) {
    const hint =
      ': the request is too large for a proxy in front of the service, whose operator can raise its limit';
    return [hint, exitCodes.refused];
  }
  if (status === 407) return [': the proxy asks for a user and password', exitCodes.network];
  if (status >= 500 || status === 429) return ['', exitCodeOf(status)];
  return [': is this the address of a Dropleaf service?', exitCodes.failed];
}

function readRetryAfter(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}

interface Pause {
  readonly because: string;
  readonly seconds: number;
  /** How much of the timeout it uses. */
  readonly countedMs: number;
}

/** null: do not try again. */
function pauseAfter(error: unknown, tries: number, isRepeatable: boolean): Pause | null {
  if (!(error instanceof CliError) || tries >= maxTries) return null;
  const { status, code = '', retryAfterSeconds, text } = error;
  const isLimit = status === 429;
  const mayRepeat = isLimit ? !capCodes.includes(code) : isRepeatable && mayPass(error);
  const backoff = 2 ** (tries - 2) * (0.75 + Math.random() / 2); // 0.5, 1, 2, 4 s and a quarter more or less
  const seconds = Math.max(retryAfterSeconds ?? 0, backoff);
  if (!mayRepeat || seconds > maxWaitSeconds) return null;
  return { because: text, seconds, countedMs: isLimit ? 0 : seconds * 1000 };
}

function mayPass(error: CliError): boolean {
  const { status, retryAfterSeconds } = error;
  if (status === undefined) return isPassingFault(error);
  if (status === 409) return retryAfterSeconds !== undefined;
  return [502, 503, 504].includes(status);
}

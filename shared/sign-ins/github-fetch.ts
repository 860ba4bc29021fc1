/** Far more than a token or a user has. */
const maxBytes = 256 * 1024;

interface Request {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | URLSearchParams | Uint8Array | ArrayBuffer | ReadableStream | null | undefined;
  readonly redirect: 'manual';
  readonly signal?: AbortSignal | undefined;
}

/**
 * Fetches for oauth4webapi: reads the whole response within the request's timeout and `maxBytes`. GitHub sends token
 * errors with status 200: they get the status of RFC 6749, section 5.2, so that the library recognises them.
 * @throws Error if the response is too large; else what fetch throws
 */
export async function providerFetch(url: string, request: Request): Promise<Response> {
  const { body = null, method, headers, redirect, signal = null } = request;
  const response = await fetch(url, { body, method, headers, redirect, signal });
  const bytes = await readBody(response);
  const status = response.status === 200 && isTokenError(bytes) ? 400 : response.status;
  return new Response(bytes.length === 0 ? null : bytes, { status, headers: response.headers });
}

async function readBody(response: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`The response is larger than ${maxBytes} bytes.`); // leaving the loop cancels
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function isTokenError(bytes: Buffer): boolean {
  try {
    const answer: unknown = JSON.parse(bytes.toString());
    return typeof answer === 'object' && answer !== null && 'error' in answer && !('access_token' in answer);
  } catch {
    return false; // not JSON: the library says so
  }
}

/**
 * What may be logged of a failure: names and statuses. Never the error itself: its `cause` can be a response that
 * contains a token, or an address that contains a code.
 */
export function describeFailure(error: unknown): object {
  if (!(error instanceof Error)) return { failure: typeof error };
  const { name, message } = error;
  const cause = error.cause instanceof Error ? error.cause : null;
  return {
    failure: name,
    reason: message,
    ...('code' in error && { code: brief(error.code) }),
    ...('status' in error && { status: brief(error.status) }),
    ...('error' in error && { providerError: brief(error.error) }),
    ...(cause !== null && 'code' in cause && { cause: brief(cause.code) }), // fetch hides ECONNREFUSED there
  };
}

function brief(value: unknown): string {
  return String(value).slice(0, 100);
}

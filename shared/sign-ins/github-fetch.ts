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
 * Reads the whole response within the timeout and `maxBytes`. GitHub's token errors have status 200: they get that of
 * RFC 6749, section 5.2, so that oauth4webapi recognises them. @throws Error if it is too large; what fetch throws
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

/** What may be logged: never the error itself, whose `cause` can be a response with a token, or an address with a code. */
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

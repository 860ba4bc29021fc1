import { type DropError, unavailable } from '../domain/errors.ts';

const retryAfterSeconds = 5;
/** The limit of a response: far more than a token, a user, or the keys of a provider have. */
const maxBytes = 256 * 1024;

type ProviderRequest = Omit<RequestInit, 'body'> & { readonly body?: RequestInit['body'] | undefined };

/** Reads the whole response within the request's time and 256 KiB. @throws Error if it is too large; what fetch throws */
export async function providerFetch(url: string, request: ProviderRequest): Promise<Response> {
  const response = await fetch(url, { ...request, body: request.body ?? null });
  const bytes = await readBody(response);
  const { status, headers } = response;
  return new Response(bytes.length === 0 ? null : bytes, { status, headers });
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

/** For a person, and with what an operator may read in the log as its `cause`. */
export function providerFailure(error: unknown): DropError {
  const failure = unavailable(reasonOf(error), retryAfterSeconds);
  failure.cause = describeFailure(error);
  return failure;
}

/** For a person. The codes are those of oauth4webapi. */
function reasonOf(error: unknown): string {
  const { name, code } = Object(error) as { name?: unknown; code?: unknown }; // proof: any object may have them
  if (code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED')
    return 'The clocks of the identity provider and of this service differ by more than a minute.';
  if (code === 'OAUTH_JWT_CLAIM_COMPARISON_FAILED')
    return 'The answer of the identity provider is meant for somebody else.';
  if (name === 'TypeError' || name === 'TimeoutError' || name === 'AbortError')
    return 'The identity provider cannot be reached.';
  return 'The identity provider did not respond as expected.';
}

/** What may be logged: never the error itself, whose `cause` can be a response with a token, or an address with a code. */
function describeFailure(error: unknown): object {
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

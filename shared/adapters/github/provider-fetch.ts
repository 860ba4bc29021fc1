/** Far more than a token or a user takes. */
const maxBytes = 256 * 1024;

interface Request {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | URLSearchParams | Uint8Array | ArrayBuffer | ReadableStream | null | undefined;
  readonly redirect: 'manual';
  readonly signal?: AbortSignal | undefined;
}

/**
 * Fetches for oauth4webapi: the whole answer is read within the request's own time and a size, and GitHub's
 * refusals, which it sends with status 200, get the status of RFC 6749 section 5.2, so that the library sees them.
 * @throws Error when the answer is too large; else what fetch throws
 */
export async function providerFetch(url: string, request: Request): Promise<Response> {
  const { body = null, method, headers, redirect, signal = null } = request;
  const response = await fetch(url, { body, method, headers, redirect, signal });
  const bytes = await readBody(response);
  const status = response.status === 200 && isRefusal(bytes) ? 400 : response.status;
  return new Response(bytes.length === 0 ? null : bytes, { status, headers: response.headers });
}

async function readBody(response: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`The answer is larger than ${maxBytes} bytes.`); // leaving the loop cancels
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function isRefusal(bytes: Buffer): boolean {
  try {
    const answer: unknown = JSON.parse(bytes.toString());
    return typeof answer === 'object' && answer !== null && 'error' in answer && !('access_token' in answer);
  } catch {
    return false; // not JSON: the library says so
  }
}

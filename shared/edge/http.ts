import type { Clock } from '../domain/clock.ts';
import { unavailable } from '../domain/errors.ts';

export interface EdgeClientOptions {
  /** The edge's credential: never in an error, even if the edge repeats it; '' for none. */
  readonly token: string;
  /** For a whole exchange, the response's body included. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** A response of the edge; `fields` of its JSON body, none if the body is not a JSON object. */
interface EdgeResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A confirmation, or the reason why there is none, is shorter. */
const maxCharacters = 64 * 1024;
/** For a 429 without a time. */
const defaultRetrySeconds = 10;
/** A job that waits longer would come too late. */
const maxRetrySeconds = 3_600;

/**
 * Follows no redirects: their targets have purged nothing. After 429 or 503 it sends nothing until `Retry-After` (RFC 9110).
 */
export function createEdgeClient({ token, timeoutMs, clock }: EdgeClientOptions) {
  let blockedUntil = Number.NEGATIVE_INFINITY;

  return {
    /** @throws DropError `unavailable` with the seconds to wait if the edge limits purges; Error that says why it cannot be reached */
    async send(url: string, request: RequestInit): Promise<EdgeResponse> {
      const blockedMs = blockedUntil - clock.now();
      if (blockedMs > 0 && blockedMs <= maxRetrySeconds * 1_000) throw limited(Math.ceil(blockedMs / 1_000));
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await fetch(url, { ...request, redirect: 'manual', signal }).catch(
        (cause: unknown) => {
          throw unreachable(url, cause);
        },
      );
      const { ok, status, headers } = response;
      const text = await readBeginning(response);
      if (status === 429 || (status === 503 && headers.has('retry-after'))) {
        const seconds = secondsToWait(headers, clock.now());
        blockedUntil = clock.now() + seconds * 1_000;
        throw limited(seconds);
      }
      return { ok, status, fields: readFields(text) };
    },

    /** The error for a response that confirms nothing. @param reason the edge's own words */
    refusal(tag: string, status: number, reason = ''): Error {
      const words = token === '' ? reason : reason.replaceAll(token, '…');
      const end = words === '' ? '' : `: ${words.slice(0, 200)}`;
      return new Error(`The edge answered a purge of ${tag} with ${status}${end}`);
    },
  };
}

/** Names the host alone: the path and the credentials of the URL may be secret. `jobs` shows the message and no cause. */
function unreachable(url: string, cause: unknown): Error {
  const error = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const { code, message } = Object(error) as { code?: unknown; message?: unknown }; // proof: any object may be read so
  const why = typeof code === 'string' ? code : message;
  return new Error(`The edge at ${new URL(url).host} cannot be reached: ${why}`, { cause });
}

function limited(seconds: number): Error {
  return unavailable(`The edge limits purges; try again in ${seconds} s.`, seconds);
}

/** `Retry-After` in seconds or as a date, or Fastly's header with a Unix time in seconds. */
function secondsToWait(headers: Headers, now: number): number {
  const inMs = msToWait(headers, now);
  const seconds = Number.isNaN(inMs) ? defaultRetrySeconds : Math.ceil(inMs / 1_000);
  return Math.min(Math.max(seconds, 1), maxRetrySeconds);
}

/** NaN if no header says it. */
function msToWait(headers: Headers, now: number): number {
  const after = headers.get('retry-after') ?? '';
  const reset = headers.get('fastly-ratelimit-reset') ?? '';
  if (/^\d+$/.test(after)) return Number(after) * 1_000;
  if (after !== '') return Date.parse(after) - now;
  return Number.parseInt(reset, 10) * 1_000 - now;
}

/** Reads the body to its end, so that its connection can be used again, and returns its beginning. */
async function readBeginning(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    if (text.length < maxCharacters) text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

function readFields(text: string): EdgeResponse['fields'] {
  try {
    const value: unknown = JSON.parse(text);
    // proof: an object, whose fields are checked one by one
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {}; // nothing, or a page of a proxy in between
  }
}

import { unavailable } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';

/** What an edge said, read to its end. */
export interface Answer {
  readonly ok: boolean;
  readonly status: number;
  /** Its beginning, which is all of what an edge says of a purge. It may tell what the request has shown. */
  readonly text: string;
}

/** @param tag named in errors; credentials and addresses never are */
export type Exchange = (tag: string, url: string, request: RequestInit) => Promise<Answer>;

const keptCharacters = 64 * 1024;
/** Where an edge has had enough, and does not say for how long. */
const untoldSeconds = 10;
/** The job that tries again must come back while somebody may still look for it. */
const longestSeconds = 3_600;

/**
 * Exchanges with one edge. Redirects are not followed: after one, nobody would have been told. Once the edge has had
 * enough (429, or 503 with `Retry-After`: RFC 9110, section 10.2.3) nothing is sent until the time that it named.
 * @param timeoutMs for one exchange, the answer's body included
 * @returns a function that throws DropError `unavailable`, with the seconds to wait, while the edge has had enough;
 *   any other error where there was no answer in time
 */
export function createExchange(options: { clock: Clock; timeoutMs: number }): Exchange {
  const { clock, timeoutMs } = options;
  let restUntil = Number.NEGATIVE_INFINITY;

  return async (tag, url, request) => {
    const restMs = restUntil - clock.now();
    if (restMs > 0 && restMs <= longestSeconds * 1_000) throw hadEnough(tag, Math.ceil(restMs / 1_000));
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { ...request, redirect: 'manual', signal });
    const { ok, status, headers } = response;
    const text = await readBeginning(response);
    if (status === 429 || (status === 503 && headers.has('retry-after'))) {
      const seconds = secondsToWait(headers, clock.now());
      restUntil = clock.now() + seconds * 1_000;
      throw hadEnough(tag, seconds, status);
    }
    return { ok, status, text };
  };
}

/** Of an answer that confirms nothing. @param said by the edge, without credentials */
export function refused(tag: string, status: number, said = ''): Error {
  return new Error(`The edge answered a purge of ${tag} with ${status}${said && `: ${said.slice(0, 200)}`}`);
}

function hadEnough(tag: string, seconds: number, status?: number): Error {
  const how = status === undefined ? 'takes no purges for now' : `answered a purge with ${status}`;
  return unavailable(`The edge ${how}; ${tag} is next in ${seconds} s.`, seconds);
}

/** `Retry-After` in seconds or as a date; or the Unix time in seconds that Fastly names. */
function secondsToWait(headers: Headers, now: number): number {
  const after = headers.get('retry-after') ?? '';
  const reset = headers.get('fastly-ratelimit-reset') ?? '';
  const inMs = /^\d+$/.test(after)
    ? Number(after) * 1_000
    : (after === '' ? Number.parseInt(reset, 10) * 1_000 : Date.parse(after)) - now;
  const seconds = Number.isNaN(inMs) ? untoldSeconds : Math.ceil(inMs / 1_000);
  return Math.min(Math.max(seconds, 1), longestSeconds);
}

/** To the end, so that its connection can be used again. */
async function readBeginning(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  if (response.body === null) return text;
  for await (const chunk of response.body) {
    if (text.length < keptCharacters) text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

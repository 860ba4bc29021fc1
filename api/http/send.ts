import type { ServerResponse } from 'node:http';
import type { RouteCounter } from '../../shared/metrics/metrics.ts';
import { maxWarnings } from './ignored.ts';

/** A response. Handlers set in `locals` what the log and the limits need. */
export interface ServiceResponse extends ServerResponse {
  locals: {
    /** The account of a valid token or session. */
    accountId?: string;
    /** The session of a signed-in browser. */
    sessionId?: string;
    /** The body, if other clients may be sent the same memory. */
    sharedBytes?: Uint8Array;
    /** What the JSON object of the answer says besides (`warnings`). */
    warnings?: string[];
    /** The counter of the route that the request found; optional: there is none if nobody reads metrics. */
    counter?: RouteCounter | undefined;
    /** Of a request that waits for a change: ANSWER_MS counts from then (`performance.now()`). */
    waitsUntil?: number;
  };
}

/** For a request that waits so long for a change. @returns a signal that aborts when the client has gone */
export function startWaiting(res: ServiceResponse, ms: number): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  if (res.closed) gone.abort();
  res.locals.waitsUntil = performance.now() + ms;
  return gone.signal;
}

/** `res.json` would look up what never varies here, which is a tenth of a small answer's time. */
export function sendJson(
  res: ServerResponse & Partial<Pick<ServiceResponse, 'locals'>>,
  body: object,
  status = 200,
): void {
  const warnings = Array.isArray(body) ? [] : (res.locals?.warnings ?? []);
  const shown = warnings.length === 0 ? body : { ...body, warnings: warnings.slice(0, maxWarnings) };
  sendBody(res, status, 'application/json', JSON.stringify(shown));
}

/** `res.send` would answer 304 to `If-None-Match: *`. @param type the media type, without its charset, which is UTF-8 */
export function sendText(res: ServerResponse, status: number, type: string, text: string): void {
  sendBody(res, status, type, text);
}

/** Sends bytes that are UTF-8. */
export function sendBytes(res: ServerResponse, type: string, bytes: Uint8Array): void {
  sendBody(res, 200, type, bytes);
}

export function sendNothing(res: ServerResponse): void {
  res.statusCode = 204;
  res.end();
}

/** Sends a page of the service with the page's own Content-Security-Policy. */
export function sendPage(res: ServerResponse, status: number, page: { html: string; csp: string }): void {
  res.setHeader('Content-Security-Policy', page.csp);
  sendBody(res, status, 'text/html', page.html);
}

function sendBody(res: ServerResponse, status: number, type: string, body: string | Uint8Array): void {
  res.statusCode = status;
  res.setHeader('Content-Type', `${type}; charset=utf-8`);
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(res.req.method === 'HEAD' ? undefined : body);
}

export const robotsHeader = 'X-Robots-Tag';
/** Search engines neither index the page nor follow its links. */
export const noindex = 'noindex, nofollow';
/** For a raw page that search engines may index as a part of its viewer page only. */
export const indexIfEmbedded = 'noindex, nofollow, indexifembedded';

/** On every answer except raw pages, which set their own; a handler removes it from an indexable page. */
export function forbidIndexing(res: ServerResponse): void {
  res.setHeader(robotsHeader, noindex);
}

export function allowIndexing(res: ServerResponse): void {
  res.removeHeader(robotsHeader);
}

import type { ServerResponse } from 'node:http';
import type { Waiter } from '../../shared/comments/waiting.ts';
import type { RouteCounter } from '../../shared/metrics/metrics.ts';
import type { ChooseCompression } from './compression.ts';
import { maxWarnings } from './ignored.ts';

/** A response. Handlers set in `locals` what the log and the limits need. */
export interface ServiceResponse extends ServerResponse {
  locals: {
    /** For JSON and pages of ours; absent: they are sent as they are. */
    chooseCompression?: ChooseCompression;
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
    /** For how long it has waited for a change, in ms: metrics do not count this time. */
    waitedMs?: number;
    /** Of a download, when it began (`performance.now()`): metrics count no longer, because its client decides how long it takes. */
    begunAt?: number;
  };
}

/** For a request that waits so long for a change. */
export function startWaiting(res: ServiceResponse, ms: number): Waiter {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  if (res.closed) gone.abort();
  res.locals.waitsUntil = performance.now() + ms;
  return {
    gone: gone.signal,
    onWaited(waitedMs) {
      res.locals.waitedMs = (res.locals.waitedMs ?? 0) + waitedMs;
    },
  };
}

type Answer = ServerResponse & Partial<Pick<ServiceResponse, 'locals'>>;

/** Compressed if it is worth it. `res.json` would look up what never varies here, which is a tenth of a small answer's time. */
export function sendJson(res: Answer, body: object, status = 200): void {
  const warnings = Array.isArray(body) ? [] : (res.locals?.warnings ?? []);
  const shown = warnings.length === 0 ? body : { ...body, warnings: warnings.slice(0, maxWarnings) };
  sendCompressed(res, status, 'application/json', JSON.stringify(shown));
}

/** `res.send` would answer 304 to `If-None-Match: *`. @param type the media type, without its charset, which is UTF-8 */
export function sendText(res: ServerResponse, status: number, type: string, text: string): void {
  setHead(res, status, type);
  endWith(res, text);
}

/** Sends bytes that are UTF-8, as they are: a document of somebody. */
export function sendBytes(res: ServerResponse, type: string, bytes: Uint8Array): void {
  setHead(res, 200, type);
  endWith(res, bytes);
}

export function sendNothing(res: ServerResponse): void {
  res.statusCode = 204;
  res.end();
}

/** Sends a page of the service with the page's own Content-Security-Policy. */
export function sendPage(res: Answer, status: number, page: { html: string; csp: string }): void {
  res.setHeader('Content-Security-Policy', page.csp);
  sendCompressed(res, status, 'text/html', page.html);
}

/** At once, or when the body is compressed: then nothing is left to do if the request was answered meanwhile (ANSWER_MS). */
function sendCompressed(res: Answer, status: number, type: string, text: string): void {
  setHead(res, status, type);
  const compress = res.locals?.chooseCompression?.(res, Buffer.byteLength(text), res.locals) ?? null;
  if (compress === null) {
    endWith(res, text);
    return;
  }
  void compress(Buffer.from(text)).then((compressed) => {
    // Also an answer that waits to be compressed in its turn: it has another status (503).
    if (res.headersSent || res.destroyed || res.statusCode !== status) return;
    if (compressed !== null) res.setHeader('Content-Encoding', compressed.encoding);
    endWith(res, compressed?.bytes ?? text);
  });
}

function setHead(res: ServerResponse, status: number, type: string): void {
  res.statusCode = status;
  res.setHeader('Content-Type', `${type}; charset=utf-8`);
}

function endWith(res: ServerResponse, body: string | Uint8Array): void {
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

import type { ServerResponse } from 'node:http';
import type { Response } from 'express';

/**
 * Sends the value as JSON. Does what `res.json` would do for us, and no more: it looks up what never varies here
 * (type, charset, ETag, freshness) in every answer, which is a tenth of a small one's time.
 */
export function sendJson(res: Response, body: unknown, status = 200): void {
  const text = JSON.stringify(body);
  res.statusCode = status;
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(res.req.method === 'HEAD' ? undefined : text);
}

/**
 * Sends the text whole. `res.send` would answer 304 to `If-None-Match: *`, which anybody may send, and nothing of ours
 * that goes this way has an ETag.
 * @param type of text, in UTF-8
 */
export function sendText(res: Response, status: number, type: string, text: string): void {
  res.statusCode = status;
  res.setHeader('Content-Type', `${type}; charset=utf-8`);
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(res.req.method === 'HEAD' ? undefined : text);
}

/** Sends one of our own pages under its own policy. */
export function sendPage(res: Response, status: number, page: { html: string; csp: string }): void {
  res.setHeader('Content-Security-Policy', page.csp);
  sendText(res, status, 'text/html', page.html);
}

/** What strangers publish is not for search engines to list, and lends no rank to what it links to. */
export const robotsHeader = 'X-Robots-Tag';
export const noindex = 'noindex, nofollow';

/** For a page whose whole content may be listed as part of the one that frames it, and never by itself. */
export const noindexAlone = 'noindex, nofollow, indexifembedded';

/** Every answer says so, unless its handler finds that it may be listed. */
export function forbidIndexing(res: ServerResponse): void {
  res.setHeader(robotsHeader, noindex);
}

export function allowIndexing(res: ServerResponse): void {
  res.removeHeader(robotsHeader);
}
/**
 * Whether the client has what we would send. Compared weakly (RFC 9110, section 13.1.2): an edge may have made our
 * ETag weak.
 * @param ifNoneMatch the request's header; undefined for none
 * @param etag null: of an answer that nobody is to have
 */
export function isFresh(ifNoneMatch: string | undefined, etag: string | null): boolean {
  if (ifNoneMatch === undefined || etag === null) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}

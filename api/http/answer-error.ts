import type { IncomingMessage, ServerResponse } from 'node:http';
import Negotiator from 'negotiator';
import type { DropError } from '../../shared/domain/errors.ts';
import type { Log } from '../../shared/log/log.ts';
import { errorPage } from '../html/error-page.ts';
import type { HtmlPage, Layout } from '../html/layout.ts';
import { isSentByScript } from './form-script.ts';
import { type ErrorEnvelope, HttpError, presentError, shownError, statusOf } from './http-error.ts';
import { pathOf } from './request-log.ts';
import { forbidIndexing } from './send.ts';

/**
 * Answers with the error envelope (spec section 7): as JSON, or inside a page if a person navigated here. What is no
 * DropError is logged whole and answered `internal_error`; an error after the answer is only logged.
 */
export function answerError(
  error: unknown,
  req: IncomingMessage,
  res: ServerResponse,
  { log, layout }: { log: Log; layout: Layout },
): void {
  const shown = shownError(error);
  logFailure(error, shown, req, res, log);
  if (res.writableEnded) return;
  if (res.headersSent) {
    res.destroy(); // half of another answer is sent, so the client must see that it is incomplete
    return;
  }
  const status = setStatusAndHeaders(res, shown);
  if (isArriving(req)) res.setHeader('Connection', 'close'); // so that the client stops sending
  const place = { baseUrl: layout.baseUrl, address: req.url ?? '' };
  const body = isNavigation(req)
    ? asPage(layout.page(errorPage(status, shown, place)), res)
    : asJson(presentError(shown), res);
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** Whether a body of more than 64 KiB has not arrived completely. */
function isArriving({ complete, headers }: IncomingMessage): boolean {
  return !complete && Number(headers['content-length']) > 64 * 1024;
}

/** Logs `unavailable` as a warning, whose `cause` tells what is down, and any other status from 500 on as an error. */
function logFailure(
  err: unknown,
  shown: DropError,
  req: IncomingMessage,
  res: ServerResponse,
  log: Log,
): void {
  const fields = { err, id: res.getHeader('X-Request-Id'), path: pathOf(req) };
  const isLate = err instanceof Error && 'code' in err && err.code === 'ERR_HTTP_HEADERS_SENT';
  if (res.writableEnded && isLate) log.debug(fields, 'a handler answered after the deadline');
  else if (shown.code === 'unavailable') log.warn(fields, 'a request was answered 503');
  else if (statusOf(shown) >= 500) log.error(fields, 'a request failed');
}

/** Whether a person's browser asked for a page: docs/decisions/requests.md, An error met by a person's navigation. */
export function isNavigation(req: IncomingMessage): boolean {
  if (isSentByScript(req)) return true;
  const mode = req.headers['sec-fetch-mode'];
  if (mode !== undefined) return mode === 'navigate';
  if (req.headers['sec-fetch-dest'] !== undefined || req.headers.accept === undefined) return false;
  return new Negotiator(req).mediaTypes()[0] === 'text/html';
}

/** Sets the error's status and the headers that every answer with this error has. @returns the status */
export function setStatusAndHeaders(res: ServerResponse, error: DropError): number {
  res.statusCode = statusOf(error);
  res.setHeader('Cache-Control', 'private, no-store');
  forbidIndexing(res);
  const seconds = error.details?.retry_after_seconds;
  if (typeof seconds === 'number') res.setHeader('Retry-After', String(seconds));
  const etag = error.details?.etag;
  if (typeof etag === 'string') res.setHeader('ETag', etag);
  if (error.code === 'unauthorized' || error.code === 'invalid_token')
    res.setHeader('WWW-Authenticate', challenge(error.code));
  if (error instanceof HttpError)
    for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value);
  return res.statusCode;
}

/** RFC 6750, section 3: a request without a token gets no error attribute. */
export function challenge(code: 'unauthorized' | 'invalid_token'): string {
  return `Bearer realm="dropleaf"${code === 'invalid_token' ? ', error="invalid_token"' : ''}`;
}

function asJson(envelope: ErrorEnvelope, res: ServerResponse): string {
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  return JSON.stringify(envelope);
}

function asPage({ html, csp }: HtmlPage, res: ServerResponse): string {
  // The refusal of a raw page keeps the sandbox.
  const policy = res.getHeader('Content-Security-Policy');
  const sandbox = typeof policy === 'string' && policy.startsWith('sandbox') ? `${policy}; ` : '';
  res.setHeader('Content-Security-Policy', sandbox + csp);
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  return html;
}

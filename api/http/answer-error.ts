import type { IncomingMessage, ServerResponse } from 'node:http';
import Negotiator from 'negotiator';
import { DropError } from '../../shared/domain/errors.ts';
import type { Log } from '../../shared/ports/log.ts';
import { errorPage } from '../html/error-page.ts';
import { HttpError, presentError, statuses } from './http-error.ts';
import { pathOf } from './request-log.ts';
import { forbidIndexing } from './send.ts';

/**
 * Answers with the envelope of spec section 7: as JSON, or inside a page where a person navigated here.
 * What is no DropError is our own failure: logged whole, shown to nobody. Takes plain node:http objects, since
 * the raw path answers without Express. What comes after the answer is logged, and nothing else.
 */
export function answerError(error: unknown, req: IncomingMessage, res: ServerResponse, log: Log): void {
  const shown = toDropError(error);
  logFailure(error, shown, req, res, log);
  if (res.writableEnded) return;
  if (res.headersSent) {
    res.destroy(); // too late for an answer: a cut connection is the honest one
    return;
  }
  const status = setErrorHeaders(res, shown);
  if (isStillComing(req)) res.setHeader('Connection', 'close');
  const envelope = presentError(shown);
  const body = isNavigation(req) ? asPage(status, envelope, res) : asJson(envelope, res);
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** Whether there is a body of which most cannot be here yet: its connection is not good for another request. */
function isStillComing({ complete, headers }: IncomingMessage): boolean {
  return !complete && Number(headers['content-length']) > 64 * 1024;
}

/** Of a part that is away, its cause says which; everything else with such a status is a fault of ours. */
function logFailure(
  err: unknown,
  shown: DropError,
  req: IncomingMessage,
  res: ServerResponse,
  log: Log,
): void {
  const fields = { err, id: res.getHeader('X-Request-Id'), path: pathOf(req) };
  if (res.writableEnded && isHeadersSent(err)) {
    // The deadline has answered, and the handler could not any more.
    log.debug(fields, 'an answer came after the request had been answered');
  } else if (shown.code === 'unavailable') log.warn(fields, 'a request could not be served for now');
  else if (statusOf(shown) >= 500) log.error(fields, 'a request failed');
}

function isHeadersSent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_HTTP_HEADERS_SENT';
}

/** Whether a person's browser asked for a page: docs/decisions.md, An error met by a person's navigation. */
export function isNavigation(req: IncomingMessage): boolean {
  const mode = req.headers['sec-fetch-mode'];
  if (mode !== undefined) return mode === 'navigate';
  if (req.headers['sec-fetch-dest'] !== undefined || req.headers.accept === undefined) return false;
  return new Negotiator(req).mediaTypes()[0] === 'text/html';
}

/** The status, and what headers say of the error. Returns the status. */
export function setErrorHeaders(res: ServerResponse, error: DropError): number {
  res.statusCode = statusOf(error);
  res.setHeader('Cache-Control', 'private, no-store');
  forbidIndexing(res);
  const seconds = error.details?.retry_after_seconds;
  if (typeof seconds === 'number') res.setHeader('Retry-After', String(seconds));
  if (error.code === 'unauthorized' || error.code === 'invalid_token') {
    res.setHeader('WWW-Authenticate', challenge(error.code));
  }
  if (error instanceof HttpError) {
    for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value);
  }
  return res.statusCode;
}

/** RFC 6750, section 3: what was wrong is said of a token, and not where none was sent. */
export function challenge(fault: 'unauthorized' | 'invalid_token'): string {
  return `Bearer realm="dropleaf"${fault === 'invalid_token' ? ', error="invalid_token"' : ''}`;
}

function statusOf(error: DropError): number {
  return error instanceof HttpError ? error.status : statuses[error.code];
}

function asJson(envelope: object, res: ServerResponse): string {
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  return JSON.stringify(envelope);
}

function asPage(status: number, envelope: ReturnType<typeof presentError>, res: ServerResponse): string {
  const { html, csp } = errorPage(status, envelope);
  const already = res.getHeader('Content-Security-Policy');
  // The raw path has set its sandbox, which must stand on refusals too.
  const sandbox = typeof already === 'string' && already.startsWith('sandbox') ? `${already}; ` : '';
  res.setHeader('Content-Security-Policy', sandbox + csp);
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  return html;
}

function toDropError(error: unknown): DropError {
  if (error instanceof DropError) return error;
  return new DropError('internal_error', 'Something went wrong on our side.');
}

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { DropError, type ErrorDetails, unavailable } from '../../shared/domain/errors.ts';
import { presentError } from '../http/http-error.ts';
import { noindex, robotsHeader } from '../http/send.ts';

/** How long a client has to read what it is told before its connection is cut, whatever it still sends. */
const lingerMs = 2_000;

const messages = {
  400: 'This is not HTTP as we read it.',
  408: 'The request took too long to arrive.',
  413: 'The body is cut into pieces with too much between them.',
  431: 'The headers of the request are too large.',
} as const;

/**
 * Errors that Node itself would answer (docs/decisions.md), with the envelope of every other error, and the headers
 * that make it harmless wherever it was asked for.
 */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  // Nothing was asked: browsers open connections ahead, and would take an answer for that of their next request.
  if (socket.bytesRead === 0) socket.destroy();
  else {
    const status = statusOf(error.code);
    endGently(socket, answerText(status, new DropError('invalid_arg', messages[status])));
  }
}

/** CONNECT asks for a way to somewhere else, which Node would refuse without a word. */
export function refuseTunnel(socket: Socket): void {
  endGently(socket, answerText(400, new DropError('invalid_arg', 'This is no proxy.')));
}

/** For one connection too many, while all others are being answered. */
export function refuseConnection(socket: Socket): void {
  const error = unavailable('Too many connections at a time: try again.');
  socket.end(answerText(503, error), () => socket.destroy()); // there is no room to wait for its reader
}

function statusOf(code: string | undefined): keyof typeof messages {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 413;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
}

function answerText(status: number, error: DropError): string {
  const body = JSON.stringify(presentError(error));
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: private, no-store',
    "Content-Security-Policy: sandbox; default-src 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options: nosniff',
    'Referrer-Policy: no-referrer',
    `${robotsHeader}: ${noindex}`,
    ...retryAfter(error.details),
    'Connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Nobody reads what still comes, and a cut connection would take the answer with it. */
function endGently(socket: Socket, answer: string): void {
  socket.end(answer);
  socket.resume();
  destroySoon(socket);
}

/** Cuts the connection once the client has had the time to read its answer. */
export function destroySoon(socket: Socket): void {
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(cut));
}

function retryAfter(details: ErrorDetails | undefined): string[] {
  const seconds = details?.retry_after_seconds;
  return typeof seconds === 'number' ? [`Retry-After: ${seconds}`] : [];
}

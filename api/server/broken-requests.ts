import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { DropError } from '../../shared/domain/errors.ts';
import { presentError } from '../http/http-error.ts';
import { noindex, robotsHeader } from '../http/send.ts';

/** How long the client has to read the answer before its connection is reset. */
const lingerMs = 2_000;

const messages = {
  400: 'Malformed HTTP request',
  408: 'The request took too long to arrive',
  413: 'The chunk extensions of the request body are too long',
  431: 'The headers of the request are too large',
} as const;

/** Answers what Node cannot parse with the error envelope and headers of every other answer, and ends the connection. */
export function answerBrokenRequest({ code }: NodeJS.ErrnoException, socket: Socket): void {
  // Browsers open connections ahead of need, and would take an error for the answer to their next request.
  if (socket.bytesRead === 0) socket.destroy();
  else if (code === 'HPE_HEADER_OVERFLOW') answer(socket, 431);
  else if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') answer(socket, 413);
  else answer(socket, code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400);
}

export function refuseConnect(socket: Socket): void {
  answer(socket, 400, 'CONNECT is not supported');
}

function answer(socket: Socket, status: keyof typeof messages, message: string = messages[status]): void {
  const body = JSON.stringify(presentError(new DropError('invalid_arg', message)));
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: private, no-store',
    "Content-Security-Policy: sandbox; default-src 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options: nosniff',
    'Referrer-Policy: no-referrer',
    `${robotsHeader}: ${noindex}`,
    'Connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
  socket.resume(); // reads on, because closing with unread bytes would reset the connection before the answer is read
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(cut));
}

import type { Server, ServerResponse } from 'node:http';
import { type IncomingMessage, type RequestListener, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { DropError } from '../../shared/domain/errors.ts';
import { presentError } from '../http/http-error.ts';
import { noindex, robotsHeader } from '../http/send.ts';
import { ConnectionShares } from './connection-shares.ts';

/** Requests that may wait on a connection. */
const maxQueued = 64;

/** How long a client may pause while it sends the rest of a request that was answered early. */
const restPauseMs = 5_000;

/** The time to read the refusal of an unreadable request. */
const refusalReadMs = 2_000;

interface Connection {
  readonly socket: Socket;
  /** The answer under way, or one that was sent while its request still arrives. */
  current: ServerResponse | null;
  readonly queue: ServerResponse[];
  /** Set when no further request can be read; called once all earlier requests are answered. */
  refuse: (() => void) | null;
}

/**
 * Hands over requests one at a time. Once one waits, reading stops; more than `maxQueued` close the connection, which could
 * fill the memory. Above `maxConnections` one is ended (connection-shares.ts): Node would refuse all new ones.
 */
export class Connections {
  readonly #listener: RequestListener;
  readonly #all = new Map<Duplex, Connection>();
  readonly #shares = new ConnectionShares((socket) => {
    const connection = this.#all.get(socket);
    return connection !== undefined && waitsForClient(connection);
  });
  #isStopping = false;

  /** @param limits.onFull is called for each connection above `maxConnections` */
  constructor(
    server: Server,
    listener: RequestListener,
    limits: { readonly maxConnections: number; readonly onFull: () => void },
  ) {
    this.#listener = listener;
    server.on('connection', (socket: Socket) => {
      this.#add(socket);
      if (this.#all.size <= limits.maxConnections) return;
      limits.onFull();
      this.#endOneFor(socket);
    });
    server.on('request', (req, res) => this.#admit(req, res));
    server.on('checkExpectation', (req, res) => this.#admit(req, res)); // the listener refuses what it does not support
    server.on('clientError', (error, socket: Socket) => this.#refuseMalformed(error, socket));
    server.on('connect', (_req: IncomingMessage, duplex: Duplex) => this.#refuseTunnel(duplex));
  }

  count(): number {
    return this.#all.size;
  }

  /** From now on each answer says `Connection: close`, so that clients send their next request elsewhere. */
  endAll(): void {
    this.#isStopping = true;
    for (const { current } of this.#all.values()) if (current !== null) closeAfter(current);
  }

  #add(socket: Socket): void {
    const connection: Connection = { socket, current: null, queue: [], refuse: null };
    this.#all.set(socket, connection);
    this.#shares.add(socket);
    socket.once('close', () => this.#all.delete(socket));
    // Node resumes reading after each request.
    socket.on('resume', () => connection.queue.length > 0 && socket.pause());
    const destroySoon = socket.destroySoon.bind(socket);
    // Node calls it after a last answer. A client that still sends would get a reset, so the rest is read and discarded.
    socket.destroySoon = () => {
      if (connection.current?.req.complete !== false) return destroySoon();
      socket.end();
      socket.setTimeout(restPauseMs);
    };
  }

  #endOneFor(added: Socket): void {
    const ended = this.#shares.take(added);
    this.#all.delete(ended);
    ended.destroy();
  }

  #admit(req: IncomingMessage, res: ServerResponse): void {
    const connection = this.#all.get(req.socket);
    if (connection === undefined) return; // it is being closed
    const { socket, current, queue } = connection;
    if (!socket.writable) socket.destroy();
    else if (current === null || current.closed) this.#begin(connection, res);
    else if (queue.push(res) > maxQueued) socket.destroy();
    else socket.pause();
  }

  #begin(connection: Connection, res: ServerResponse): void {
    connection.current = res;
    this.#shares.use(connection.socket);
    if (this.#isStopping) closeAfter(res);
    res.once('close', () => this.#end(connection, res));
    this.#listener(res.req, res);
  }

  #end(connection: Connection, { req }: ServerResponse): void {
    const { socket, queue, refuse } = connection;
    if (req.complete) connection.current = null;
    if (socket.destroyed) return;
    const next = queue.shift();
    if (next === undefined) {
      if (req.complete) this.#shares.rest(socket);
      refuse?.();
      return;
    }
    if (queue.length === 0) socket.resume();
    this.#begin(connection, next);
  }

  #refuseMalformed({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
    const connection = this.#all.get(socket);
    if (connection === undefined || !socket.writable || code === 'ECONNRESET') socket.destroy();
    // Browsers open connections ahead of need, and would take an error for the answer to their next request.
    else if (socket.bytesRead === 0) socket.destroy();
    else if (connection.refuse === null)
      refuseUnreadable(connection, () => refuse(socket, ...(refusals[code] ?? malformed)));
  }

  #refuseTunnel(duplex: Duplex): void {
    const connection = this.#all.get(duplex);
    if (connection === undefined) duplex.destroy();
    else refuseUnreadable(connection, () => refuse(connection.socket, 400, 'CONNECT is not supported'));
  }
}

/** Answers a request that cannot be read, once all earlier ones are answered. Its handler runs if only its body is wrong. */
function refuseUnreadable(connection: Connection, refuse: () => void): void {
  const { socket, current, queue } = connection;
  connection.refuse = refuse;
  if (queue.at(-1)?.req.complete === false) queue.pop(); // it is the one whose body cannot be read
  // No earlier request is left: the unreadable one is `current`, or has not become a request at all.
  if (current === null || !current.req.complete) {
    if (current?.headersSent) socket.destroy();
    else refuse();
  }
}

type Refusal = readonly [status: number, message: string];

const malformed: Refusal = [400, 'Malformed HTTP request'];
/** By the code of Node's error. */
const refusals: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions of the request body are too long'],
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are too large'],
};

/** Answers what is no request with the error envelope and headers of every other answer, and closes the connection. */
function refuse(socket: Socket, status: number, message: string): void {
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
  const reset = setTimeout(() => socket.destroy(), refusalReadMs);
  socket.once('close', () => clearTimeout(reset));
}

/** Whether the client has to act: to send a request, or the rest of one, or to read its answer. */
function waitsForClient({ current }: Connection): boolean {
  return current === null || !current.req.complete || current.writableEnded;
}

/** Whether the system has not taken all of a finished answer, because the client reads slowly. */
export function isUnread({ socket }: ServerResponse): boolean {
  return socket !== null && socket.writableLength > 0;
}

function closeAfter(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

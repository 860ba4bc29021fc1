import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ChunkCount, hasTooManyChunks, limitChunks } from '../http/body.ts';
import { answerBrokenRequest, refuseConnect } from './broken-requests.ts';

/** Requests that a client may send ahead on a connection, besides the one that is being answered. */
const maxQueued = 64;

/** How long a client that was answered early may pause before the rest of its request is given up. */
const lingerMs = 5_000;

interface Connection {
  readonly socket: Socket;
  /** The answer under way. */
  current: ServerResponse | null;
  readonly queue: ServerResponse[];
  /** Of all chunked bodies since no request was left to answer. Mostly 0: `end` then skips a check. */
  chunks: ChunkCount;
  /** Set when no further request can be read; called once all earlier requests are answered. */
  whenAnswered: (() => void) | null;
}

export interface Connections {
  /** How many are open. */
  count(): number;

  /** From now on each answer says `Connection: close`, so that clients send their next request elsewhere. */
  endAll(): void;
}

/**
 * Hands the requests of a connection to the listener one at a time. Once one has to wait, reading stops;
 * those that were read with it wait too (more than `maxQueued` end the connection). Above `maxConnections` it
 * ends the connection that has waited longest for its client: to send a request, or the rest of one,
 * or to read an answer. (Node's own `maxConnections` would refuse new clients and keep idle ones.)
 */
export function watchConnections(
  server: Server,
  listener: RequestListener,
  { maxConnections, onFull }: { maxConnections: number; onFull: () => void },
): Connections {
  const all = new Map<Duplex, Connection>();
  /** The longest wait first. Some no longer wait, because a request has arrived since: see `waitsForClient`. */
  const waiting = new Set<Connection>();
  let isStopping = false;

  server.on('connection', (socket: Socket) => {
    const connection: Connection = {
      socket,
      current: null,
      queue: [],
      chunks: noChunks(),
      whenAnswered: null,
    };
    all.set(socket, connection);
    waiting.add(connection);
    socket.once('close', () => forget(connection));
    // Node resumes reading after each request.
    socket.on('resume', () => connection.queue.length > 0 && socket.pause());
    const destroySoon = socket.destroySoon.bind(socket);
    // Node calls it after an answer that ends the connection. While the client still sends, that would reset the
    // connection, and the client would not get its answer.
    socket.destroySoon = () =>
      connection.current?.req.complete === false ? linger(connection) : destroySoon();
    if (all.size > maxConnections) endLongestWaiting();
  });

  function endLongestWaiting(): void {
    onFull();
    for (const connection of waiting) {
      waiting.delete(connection);
      if (!waitsForClient(connection)) continue;
      forget(connection); // the new one itself if all others are being answered
      connection.socket.destroy();
      return;
    }
  }

  function forget(connection: Connection): void {
    all.delete(connection.socket);
    waiting.delete(connection);
  }

  function admit(req: IncomingMessage, res: ServerResponse): void {
    const connection = all.get(req.socket);
    if (connection === undefined) return; // its connection is being ended
    const { socket, queue, chunks } = connection;
    if (req.headers['transfer-encoding'] !== undefined) limitChunks(req, chunks);
    if (connection.current === null) begin(connection, res);
    else if (queue.push(res) > maxQueued) socket.destroy();
    else socket.pause();
  }

  function begin(connection: Connection, res: ServerResponse): void {
    connection.current = res;
    if (res.socket === null) {
      // The answer before was sent at once, and Node has not yet let go of it.
      res.once('socket', () => process.nextTick(begin, connection, res));
      return;
    }
    if (isStopping) closeAfter(res);
    listener(res.req, res);
    if (res.writableEnded) waitForClient(connection);
    else res.once('prefinish', () => waitForClient(connection));
    if (isSent(res) && !mayHaveBody(res.req)) end(connection, res.req);
    else res.once('close', () => end(connection, res.req));
  }

  /** From now on it has waited less long than all others. */
  function waitForClient(connection: Connection): void {
    waiting.delete(connection);
    if (all.has(connection.socket)) waiting.add(connection);
  }

  function end(connection: Connection, req: IncomingMessage): void {
    const { socket, queue, chunks } = connection;
    connection.current = null;
    if (socket.destroyed) return;
    if (queue.length > 0) beginNext(connection);
    else if (connection.whenAnswered !== null) connection.whenAnswered();
    else if (chunks.chunks > 0 && hasTooManyChunks(req)) linger(connection);
    else {
      if (chunks.chunks > 0) connection.chunks = noChunks();
      if (mayHaveBody(req)) lingerIfIncomplete(connection, req);
    }
  }

  function beginNext(connection: Connection): void {
    const { socket, queue } = connection;
    const next = queue.shift();
    if (queue.length === 0) socket.resume();
    if (next !== undefined) begin(connection, next);
  }

  server.on('request', admit);
  server.on('checkExpectation', admit); // the listener refuses what it does not support

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const connection = all.get(socket);
    if (connection === undefined || !socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else if (connection.whenAnswered === null)
      refuseUnreadable(connection, () => answerBrokenRequest(error, socket));
  });

  server.on('connect', (_req: IncomingMessage, duplex: Duplex) => {
    const connection = all.get(duplex);
    if (connection === undefined) duplex.destroy();
    else refuseUnreadable(connection, () => refuseConnect(connection.socket));
  });

  /**
   * Answers a request that cannot be read, once all earlier requests are answered. If only its body cannot be read, its
   * handler may already be running.
   */
  function refuseUnreadable(connection: Connection, refuse: () => void): void {
    const { socket, current, queue } = connection;
    connection.whenAnswered = refuse;
    if (queue.at(-1)?.req.complete === false) queue.pop(); // it is the one whose body cannot be read
    // No earlier request is left: the unreadable one is `current`, or has not become a request at all.
    if (current === null || !current.req.complete) {
      if (current?.headersSent) socket.destroy();
      else refuse();
    }
  }

  return {
    count: () => all.size,

    endAll() {
      isStopping = true;
      for (const { current } of all.values()) if (current !== null) closeAfter(current);
    },
  };
}

/**
 * Ends our side of a connection whose request was answered while it still arrives, and discards the rest, so that the
 * client gets its answer. The rest is not parsed, because a chunk of one byte costs as much as one of thousands. Node
 * ends the connection when the request's time is over.
 */
function linger(connection: Connection): void {
  const { socket } = connection;
  connection.whenAnswered = () => undefined;
  // With its parser attached, Node pauses and resumes the connection below the stream: once detached, it stays paused.
  if (socket.isPaused()) socket.once('resume', () => discardRest(socket)).resume();
  else discardRest(socket);
  socket.setTimeout(lingerMs);
  socket.end();
}

function discardRest(socket: Socket): void {
  socket.on('data', () => undefined); // detaches Node's parser from the socket
  socket.removeAllListeners('data');
  socket.resume();
  setImmediate(() => socket.resume()); // Node may have paused it for the bytes already read
}

function lingerIfIncomplete(connection: Connection, req: IncomingMessage): void {
  // The rest of the request may be here and not yet parsed.
  setImmediate(() => {
    if (!req.complete && connection.current === null && !connection.socket.destroyed) linger(connection);
  });
}

/** Whether the client has to act: to send a request, or the rest of one, or to read its answer. */
function waitsForClient({ current }: Connection): boolean {
  return current === null || !current.req.complete || current.writableEnded;
}

/** Whether the system has all of the answer. */
function isSent(res: ServerResponse): boolean {
  return res.writableEnded && !isUnread(res);
}

/** Whether the system has not taken all of an answer that has ended, because the client reads slowly. */
export function isUnread({ socket }: ServerResponse): boolean {
  return socket !== null && socket.writableLength > 0;
}

/** RFC 9112, section 6.3. */
function mayHaveBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function noChunks(): ChunkCount {
  return { chunks: 0, bytes: 0 };
}

function closeAfter(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

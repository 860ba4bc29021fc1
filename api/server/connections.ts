import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { countPieces, isTooFine } from './chunk-limit.ts';

/** Requests that a client may send ahead on a connection, before it has its answers. */
const maxInLine = 64;

type Exchange = readonly [req: IncomingMessage, res: ServerResponse];

interface Connection {
  readonly socket: Socket;
  current: Exchange | null;
  /** What waits behind it. */
  readonly line: Exchange[];
  /** Node wants to end it, and the client is still sending. */
  isEnding: boolean;
  /** What to do once all that came whole is answered: more cannot be read here. null: all is well. */
  whenAnswered: (() => void) | null;
}

export interface Connections {
  /** From now on answers say that their connection ends, so that their clients ask elsewhere next. */
  endAll(): void;
}

export interface ConnectionRules {
  readonly maxConnections: number;
  /** Told each time that a new connection finds all places taken. */
  readonly onFull: () => void;
  readonly listener: RequestListener;
  /** Answers, on the bare connection, a request that cannot be read, and ends it. */
  readonly refuseRequest: (error: NodeJS.ErrnoException, socket: Socket) => void;
  /** The same for CONNECT. */
  readonly refuseTunnel: (socket: Socket) => void;
  /** The same for one connection too many. */
  readonly refuseConnection: (socket: Socket) => void;
}

/**
 * Hands a connection's requests to the listener one after the other, so that no client has more than one answer in
 * the making, and bounds how many connections there are: a new one takes the place of the one that has been idle
 * the longest, else of one that is still sending its request, else of one that has not read its answer. What cannot be
 * read is told in its turn.
 */
export function watchConnections(server: Server, rules: ConnectionRules): Connections {
  const { maxConnections, onFull, listener, refuseRequest, refuseTunnel, refuseConnection } = rules;
  const all = new Map<Duplex, Connection>();
  /** Those with no request, or not the whole head of one; the longest idle first. */
  const idle = new Set<Connection>();
  /** Those whose request was still on its way when its answer was begun; some may be whole by now. */
  const receiving = new Set<Connection>();
  let isStopping = false;

  server.on('connection', (socket: Socket) => {
    if (all.size >= maxConnections && !makeRoom()) {
      refuseConnection(socket);
      return;
    }
    const made: Connection = {
      socket,
      current: null,
      line: [],
      isEnding: false,
      whenAnswered: null,
    };
    all.set(socket, made);
    idle.add(made);
    socket.once('close', () => forget(made));
    const endSoon = socket.destroySoon;
    // Node calls it behind an answer that ends the connection. While the client still sends, that would cut the answer
    // off: `end` below sees to it.
    socket.destroySoon = () => {
      made.isEnding = made.current?.[0].complete === false;
      if (!made.isEnding) endSoon.call(socket);
    };
  });

  function forget(connection: Connection): void {
    all.delete(connection.socket);
    idle.delete(connection);
    receiving.delete(connection);
  }

  /** Whether there is room now. Whoever's answer is in the making keeps their place. */
  function makeRoom(): boolean {
    onFull();
    const [longest] = idle;
    const found = longest ?? findReceiving() ?? findUnread();
    if (found === undefined) return false;
    forget(found); // its end is told later
    found.socket.destroy();
    return true;
  }

  function findReceiving(): Connection | undefined {
    for (const connection of receiving) {
      if (connection.current?.[0].complete === false) return connection;
      receiving.delete(connection);
    }
    return undefined;
  }

  /** One that does not read its answer; the oldest connections are asked first. */
  function findUnread(): Connection | undefined {
    for (const connection of all.values()) {
      if (connection.current?.[1].writableEnded) return connection;
    }
    return undefined;
  }

  function admit(req: IncomingMessage, res: ServerResponse): void {
    countPieces(req);
    const connection = all.get(req.socket);
    if (connection === undefined) return; // it is being ended
    if (connection.current === null) begin(connection, [req, res]);
    else if (connection.line.push([req, res]) > maxInLine) connection.socket.destroy();
  }

  function begin(connection: Connection, exchange: Exchange): void {
    const [req, res] = exchange;
    idle.delete(connection);
    connection.current = exchange;
    if (!req.complete) receiving.add(connection);
    if (isStopping) endConnection(res);
    res.on('close', () => end(connection, req));
    listener(req, res);
  }

  function end(connection: Connection, req: IncomingMessage): void {
    const { socket, line } = connection;
    connection.current = null;
    receiving.delete(connection);
    if (socket.destroyed) return;
    const next = line.shift();
    if (next !== undefined) begin(connection, next);
    else if (connection.whenAnswered !== null) connection.whenAnswered();
    else {
      idle.add(connection);
      if (isTooFine(req)) leave(connection);
      else if (!req.complete) setImmediate(() => settle(connection, req)); // the rest may be here, only not read yet
    }
  }

  /** The request was answered before it had been read. */
  function settle(connection: Connection, req: IncomingMessage): void {
    const { socket, current, isEnding } = connection;
    if (socket.destroyed || current !== null) return;
    if (!req.complete) leave(connection);
    else if (isEnding) socket.destroySoon();
  }

  function leave(connection: Connection): void {
    connection.whenAnswered = () => undefined; // a second answer would be taken for somebody else's
    discardRest(connection.socket);
  }

  server.on('request', admit);
  server.on('checkExpectation', admit); // the listener says what it does not meet

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const connection = all.get(socket);
    if (connection === undefined || !socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else if (connection.whenAnswered === null) breakOff(connection, () => refuseRequest(error, socket));
  });

  server.on('connect', (_req: IncomingMessage, duplex: Duplex) => {
    const connection = all.get(duplex);
    if (connection === undefined) duplex.destroy();
    else breakOff(connection, () => refuseTunnel(connection.socket));
  });

  /** Nothing more can be read: says so when it is this request's turn, which may have begun. */
  function breakOff(connection: Connection, refuse: () => void): void {
    const { socket, current, line } = connection;
    connection.whenAnswered = refuse;
    if (line.at(-1)?.[0].complete === false) line.pop(); // the one that is told so
    if (current?.[0].complete) return;
    if (current?.[1].headersSent) socket.destroy();
    else refuse();
  }

  return {
    endAll() {
      isStopping = true;
      for (const { current, line } of all.values()) {
        for (const [, res] of current === null ? line : [current, ...line]) endConnection(res);
      }
    },
  };
}

/**
 * Ends our side of a connection whose request was answered while it still comes. What comes is let through, so that the
 * client gets its answer instead of a broken connection, and is not looked at: parsing a body that is cut into pieces
 * of one byte costs thousands of times what the bytes do. Node ends the connection when the request's time is over.
 */
function discardRest(socket: Socket): void {
  socket.on('data', () => undefined); // takes the bytes back from the parser, which reads from the system itself
  socket.removeAllListeners('data');
  socket.resume();
  setImmediate(() => socket.resume()); // where Node has paused it once more for what it had read by now
  socket.end();
}

function endConnection(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

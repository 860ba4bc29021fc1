import { createServer, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { DropError } from '../shared/domain/errors.ts';
import type { Services } from '../shared/open-services.ts';
import { createListener } from './app.ts';
import { HttpError } from './http-error.ts';
import { answerError } from './middleware/errors.ts';
import { presentError } from './presenters/error.ts';

export interface Web {
  readonly port: number;
  /** Accepts no more, finishes what runs, and after `graceMs` cuts what is left. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Node's own refusal of a request without a Host would lack the envelope: app.ts refuses it. Requests that take too
 * long to arrive are looked for every few seconds.
 */
export function createWebServer(): Server {
  return createServer({ requireHostHeader: false, connectionsCheckingInterval: 5_000 });
}

/**
 * How long a proxy's idle connection stays open: longer than proxies keep one (nginx 60 s, Heroku's router 90 s).
 * Whoever closes first must be the proxy, or it sends a request just as we close, and its client gets a 502.
 */
const proxyIdleMs = 95_000;

/** Listens. @throws what the system says when the address cannot be had (`EADDRINUSE`, `EACCES`) */
export async function startWeb(services: Services, server: Server = createWebServer()): Promise<Web> {
  const { config, log } = services;
  server.requestTimeout = config.REQUEST_SECONDS * 1000;
  if (config.TRUST_PROXY !== '') server.keepAliveTimeout = proxyIdleMs;
  server.headersTimeout = Math.min(server.headersTimeout, server.requestTimeout);
  server.on('request', createListener(services));
  const answering = watchAnswers(server);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (answering.isAnswered(socket))
      socket.destroy(); // a second answer would be taken for somebody else's
    else answerBrokenRequest(error, socket);
  });
  server.on('checkExpectation', (req, res) => {
    answerError(
      new HttpError(417, 'invalid_arg', 'The only expectation met is 100-continue.'),
      req,
      res,
      log,
    );
  });
  if (!server.listening) await listen(server, config.PORT, config.HOST);
  return {
    port: (server.address() as AddressInfo).port, // proof: it listens on a port, not on a pipe
    stop(graceMs) {
      answering.endConnections();
      return stop(server, graceMs);
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Knows the answers that are under way, and the connections whose request was answered before it had arrived. */
function watchAnswers(server: Server) {
  const open = new Set<ServerResponse>();
  const answeredEarly = new WeakSet<Socket>();
  let isStopping = false;

  server.prependListener('request', (req, res) => {
    answeredEarly.delete(req.socket);
    if (isStopping) endConnection(res);
    open.add(res);
    res.on('close', () => {
      open.delete(res);
      if (!req.complete) answeredEarly.add(req.socket);
    });
  });

  return {
    isAnswered: (socket: Socket) => answeredEarly.has(socket),
    /** From now on answers say that their connection ends, so that their clients ask elsewhere next. */
    endConnections(): void {
      isStopping = true;
      for (const res of open) endConnection(res);
    },
  };
}

function endConnection(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

function stop(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    // A connection whose last answer goes out from now on is idle afterwards, and would stay open.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(sweep);
      resolve();
    });
  });
}

const brokenRequests = {
  400: 'This is not HTTP as we read it.',
  408: 'The request took too long to arrive.',
  431: 'The headers of the request are too large.',
} as const;

/** Errors that Node itself would answer (docs/decisions.md), with the envelope of every other error. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = statusOfBroken(error.code);
  const body = JSON.stringify(presentError(new DropError('invalid_arg', brokenRequests[status])));
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: private, no-store',
    'Connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function statusOfBroken(code: string | undefined): keyof typeof brokenRequests {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
}

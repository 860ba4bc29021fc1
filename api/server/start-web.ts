import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Services } from '../../shared/open-services.ts';
import { createThrottledWarning } from '../../shared/services/throttled-warning.ts';
import { createListener } from './app.ts';
import { answerBrokenRequest, refuseConnection, refuseTunnel } from './broken-requests.ts';
import { watchConnections } from './connections.ts';

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

/** A head fits into a few packets. The body has `REQUEST_SECONDS`. */
const headersMs = 20_000;

/** Listens. @throws what the system says when the address cannot be had (`EADDRINUSE`, `EACCES`) */
export async function startWeb(services: Services, server: Server = createWebServer()): Promise<Web> {
  const { config } = services;
  server.requestTimeout = config.REQUEST_SECONDS * 1000;
  server.headersTimeout = Math.min(headersMs, server.requestTimeout);
  if (config.TRUST_PROXY !== '') server.keepAliveTimeout = proxyIdleMs;
  server.maxHeadersCount = 0; // Node would leave out those behind the 2,000th; app.ts refuses so many
  const warnOfFull = createThrottledWarning(
    services,
    'all connections are taken: new ones take the place of others',
  );
  const connections = watchConnections(server, {
    maxConnections: config.MAX_CONNECTIONS,
    onFull: () => warnOfFull({ maxConnections: config.MAX_CONNECTIONS }),
    listener: createListener(services),
    refuseRequest: answerBrokenRequest,
    refuseTunnel,
    refuseConnection,
  });
  if (!server.listening) await listen(server, config.PORT, config.HOST);
  return {
    port: (server.address() as AddressInfo).port, // proof: it listens on a port, not on a pipe
    stop(graceMs) {
      connections.endAll();
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

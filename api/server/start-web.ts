import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { commonDomain, readContentOrigin } from '../../shared/config/content-origin.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { Connections } from './connections.ts';
import { createListener } from './listener.ts';

export interface Web {
  readonly port: number;
  /** Accepts no more connections, finishes what runs, and cuts the rest after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Checks every 5 s which requests have exceeded their time. A missing Host is answered by listener.ts. */
export function createWebServer(): Server {
  return createServer({ requireHostHeader: false, connectionsCheckingInterval: 5_000 });
}

/**
 * Longer than proxies keep idle connections (nginx 60 s, Heroku 90 s): a request on one that closes would be answered 502.
 */
const proxyIdleMs = 95_000;

/** How long headers may take; a whole request may take REQUEST_SECONDS. */
const headersMs = 20_000;

/** Listens. @throws the system's error if it cannot (`EADDRINUSE`, `EACCES`) */
export async function startWeb(services: Services, server: Server = createWebServer()): Promise<Web> {
  const { config, log } = services;
  warnOfSharedDomain(services);
  server.requestTimeout = config.REQUEST_SECONDS * 1000;
  server.headersTimeout = Math.min(headersMs, server.requestTimeout);
  if (config.TRUST_PROXY !== '') server.keepAliveTimeout = proxyIdleMs;
  server.maxHeadersCount = 0; // Node would silently drop headers; listener.ts refuses too many
  const maxConnections = config.MAX_CONNECTIONS;
  const onFull = () =>
    log.warn(
      { maxConnections },
      'MAX_CONNECTIONS is reached: for each new connection one is ended, of the network that has the most',
    );
  const connections = new Connections(server, createListener(services), {
    maxConnections,
    onFull,
  });
  services.metrics?.requests.watchConnections(() => connections.count());
  if (!server.listening) await once(server.listen(config.PORT, config.HOST), 'listening');
  return {
    port: (server.address() as AddressInfo).port, // proof: it listens on a port, not on a pipe
    stop(graceMs) {
      connections.endAll();
      services.endWaiting();
      return stop(server, graceMs, config.TRUST_PROXY === '' ? 0 : graceMs / 2);
    },
  };
}

/** A warning and no error, because only the public suffix list says whether drops can set cookies for the domain. */
function warnOfSharedDomain({ config, log }: Services): void {
  const content = readContentOrigin(config.CONTENT_ORIGIN);
  const domain = content && commonDomain(content.domain, new URL(config.BASE_URL).hostname);
  if (domain === null) return;
  const message =
    'BASE_URL and CONTENT_ORIGIN share a domain: drops can set cookies for the service, unless the domain is a public suffix. Use another domain for CONTENT_ORIGIN';
  log.warn({ domain }, message);
}

/** @param idleMs a proxy does not repeat a POST on a closing connection, but closes idle ones itself (deploy/: 4 s) */
function stop(server: Server, graceMs: number, idleMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    const stoppedAt = performance.now();
    // Also connections that become idle later, which Node would leave open.
    const sweep = setInterval(() => {
      if (performance.now() - stoppedAt >= idleMs) server.closeIdleConnections();
    }, 50);
    // Not `server.close`, which closes idle connections at once.
    NetServer.prototype.close.call(server, () => {
      clearTimeout(cut);
      clearInterval(sweep);
      server.close(); // stops Node's timer that checks connections
      resolve();
    });
  });
}

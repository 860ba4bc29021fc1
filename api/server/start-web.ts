import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { commonDomain, readContentOrigin } from '../../shared/config/content-origin.ts';
import type { Services } from '../../shared/open-services.ts';
import { watchConnections } from './connections.ts';
import { createListener } from './listener.ts';

export interface Web {
  readonly port: number;
  /** Accepts no more connections, finishes what runs, and cuts the rest after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** A server that checks every 5 s which requests have exceeded their time, and leaves a missing Host to listener.ts, which answers it. */
export function createWebServer(): Server {
  return createServer({ requireHostHeader: false, connectionsCheckingInterval: 5_000 });
}

/**
 * How long a proxy's idle connection stays open: longer than proxies keep one (nginx 60 s, Heroku's router 90 s). If
 * the service closed first, a request that the proxy sends at that moment would be answered 502.
 */
const proxyIdleMs = 95_000;

/** How long headers may take. They fit into a few packets; a whole request may take REQUEST_SECONDS. */
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
      'MAX_CONNECTIONS is reached: each new connection ends the connection that has waited longest for its client',
    );
  const connections = watchConnections(server, createListener(services), {
    maxConnections,
    onFull,
  });
  services.metrics?.requests.watchConnections(connections.count);
  if (!server.listening) await once(server.listen(config.PORT, config.HOST), 'listening');
  return {
    port: (server.address() as AddressInfo).port, // proof: it listens on a port, not on a pipe
    stop(graceMs) {
      connections.endAll();
      return stop(server, graceMs);
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

function stop(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    // Node closes connections that are idle now; those that become idle later would stay open.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(sweep);
      resolve();
    });
  });
}

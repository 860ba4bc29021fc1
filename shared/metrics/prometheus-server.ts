import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { hostname } from 'node:os';
import type { Log } from '../log/log.ts';

export interface MetricsServer {
  readonly port: number;
  /** Closes every connection. */
  stop(): Promise<void>;
}

/** Prometheus gives up after 10 s by default. */
const requestMs = 10_000;
const maxConnections = 100;

interface MetricsServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly scrape: () => Promise<string>;
  readonly contentType: string;
  /** Host names of this server, besides those that `isOwnHost` accepts. */
  readonly names: readonly string[];
  /** By the first segment of the path (`/queues`). */
  readonly mounts: Readonly<Record<string, RequestListener>>;
  readonly log: Pick<Log, 'error'>;
}

/**
 * `GET /metrics` and what is mounted, for all who reach its address except websites in the operator's browser.
 * @throws Error that says in one sentence why it cannot listen
 */
export async function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const { host, port } = options;
  const server = createServer({ requestTimeout: requestMs }, createListener(options));
  server.maxConnections = maxConnections;
  try {
    await once(server.listen(port, host), 'listening');
  } catch (cause) {
    throw new Error(explain(cause, host, port), { cause });
  }
  return {
    port: (server.address() as AddressInfo).port, // proof: it listens on a port, not on a pipe
    stop: () => stop(server),
  };
}

function createListener(options: MetricsServerOptions): RequestListener {
  const { scrape, contentType, mounts, log } = options;
  const names = ['localhost', hostname(), ...options.names].map((name) => name.toLowerCase());
  return (req, res) => {
    const [path = ''] = (req.url ?? '').split('?', 1);
    const mounted = mounts[`/${path.split('/', 2)[1]}`];
    const refuse = (status: number, text: string) => {
      res.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
    };
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('X-Content-Type-Options', 'nosniff');
    if (!isOwnHost(req.headers.host, names))
      refuse(421, 'Ask for this at an IP address, localhost, METRICS_HOST or the host of BASE_URL');
    else if (mounted !== undefined) mounted(req, res);
    else if (path !== '/metrics') refuse(404, 'Not found: the metrics are at /metrics');
    else if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD');
      refuse(405, 'Only GET and HEAD are supported');
    } else
      scrape().then(
        (text) => res.writeHead(200, { 'Content-Type': contentType }).end(text),
        (err: unknown) => {
          log.error({ err }, 'the metrics could not be read');
          refuse(500, 'The metrics could not be read');
        },
      );
  };
}

/**
 * Keeps out websites under host names that lead here (DNS rebinding): nobody can own an IP address or a name without a dot.
 * @param host undefined: an old client, which is no browser
 */
function isOwnHost(host: string | undefined, names: readonly string[]): boolean {
  if (host === undefined) return true;
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname: name } = new URL(`http://${host}`);
  return !name.includes('.') || isIP(name) > 0 || names.includes(name);
}

function explain(error: unknown, host: string, port: number): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  switch (code) {
    case 'EADDRINUSE':
      return `METRICS_PORT ${port} on ${host} is in use: stop the other program, or set another METRICS_PORT for this process`;
    case 'EACCES':
      return `this user may not listen on METRICS_PORT ${port}: set METRICS_PORT to 1024 or higher`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `METRICS_HOST is "${host}", which is not an address of this machine`;
    default:
      return `the metrics cannot be served on ${host}:${port}: ${code}`;
  }
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

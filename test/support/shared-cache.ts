import { createServer, type IncomingHttpHeaders, type IncomingMessage, request as send } from 'node:http';
import { type Client, createClient } from './client.ts';
import { listen } from './listen.ts';

/** A shared cache in front of a service, as RFC 9111 has it, for what raw pages say. */
export interface SharedCache extends Client {
  /** What reached the service, as `GET /path`. */
  readonly fills: string[];
  /** Lets time pass in the cache. */
  advance(seconds: number): void;
  /** Forgets everything. */
  purge(): void;
}

interface Stored {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly freshUntil: number;
}

/** @param serviceUrl what it stands before; it listens on a port of its own */
export async function startSharedCache(serviceUrl: string): Promise<SharedCache> {
  const { hostname, port } = new URL(serviceUrl);
  const store = new Map<string, Stored>();
  const fills: string[] = [];
  let now = 0;

  /** The visitor's own request, all its headers included, as caches send it on. */
  function fill({ method, url, headers }: IncomingMessage, stale: Stored | undefined): Promise<Stored> {
    fills.push(`${method} ${url}`);
    const { 'if-none-match': _visitors, ...rest } = headers;
    const etag = stale?.headers.etag;
    return new Promise((resolve, reject) => {
      const options = { hostname, port, method, path: url };
      const asked = send({ ...options, headers: { ...rest, ...(etag && { 'if-none-match': etag }) } });
      asked.once('error', reject);
      asked.once('response', async (answer) => {
        const chunks: Buffer[] = [];
        for await (const chunk of answer) chunks.push(chunk);
        const freshUntil = now + freshSeconds(answer.headers);
        const isSame = answer.statusCode === 304 && stale !== undefined;
        resolve({
          status: isSame ? stale.status : (answer.statusCode ?? 0),
          headers: isSame ? { ...stale.headers, ...answer.headers } : answer.headers,
          body: isSame ? stale.body : Buffer.concat(chunks),
          freshUntil,
        });
      });
      asked.end();
    });
  }

  const server = createServer(async (req, res) => {
    const key = `${req.headers.host} ${req.url} ${req.headers['accept-encoding']}`;
    const stored = req.method === 'GET' ? store.get(key) : undefined;
    const isHit = stored !== undefined && now < stored.freshUntil;
    const answer = isHit ? stored : await fill(req, stored);
    if (req.method === 'GET' && answer.status === 200 && now < answer.freshUntil) store.set(key, answer);
    else if (!isHit) store.delete(key);
    res.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const client = createClient(`http://127.0.0.1:${await listen(server)}`);

  return {
    ...client,
    fills,
    advance(seconds) {
      now += seconds;
    },
    purge: () => store.clear(),
    close() {
      client.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

function freshSeconds({ 'cache-control': rules = '' }: IncomingHttpHeaders): number {
  if (/\b(private|no-store)\b/.test(rules)) return 0;
  return Number(/\bs-maxage=(\d+)/.exec(rules)?.[1] ?? 0);
}

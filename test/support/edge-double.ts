import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { listen } from './listen.ts';

export interface SeenByEdge {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface EdgeDouble {
  readonly url: string;
  readonly seen: readonly SeenByEdge[];
  connections(): number;
}

/** Edges for the tests of the surrounding suite, which end with each test. */
export function useEdgeDoubles() {
  const servers: Server[] = [];

  afterEach(closeAll);

  async function closeAll(): Promise<void> {
    for (const server of servers.splice(0)) {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    }
  }

  return {
    closeAll,

    /** Notes each request whole, and then lets it be answered. */
    async listen(answer: RequestListener): Promise<EdgeDouble> {
      const seen: SeenByEdge[] = [];
      let connections = 0;
      const server = createServer(async (request, response) => {
        let body = '';
        for await (const chunk of request.setEncoding('utf8')) body += chunk;
        const { method, url: path, headers } = request;
        seen.push({ method, path, headers, body });
        answer(request, response);
      });
      server.on('connection', () => {
        connections += 1;
      });
      servers.push(server);
      return { url: `http://127.0.0.1:${await listen(server)}`, seen, connections: () => connections };
    },
  };
}

/** The seconds that an edge wants to be left alone for; undefined: it has not said so. */
export function secondsOf(error: Error): unknown {
  return 'details' in error
    ? (error.details as { retry_after_seconds?: unknown }).retry_after_seconds
    : undefined;
}

export function json(status: number, body: object, headers: Record<string, string> = {}): RequestListener {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

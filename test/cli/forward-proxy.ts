import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listen } from '../support/listen.ts';

/** A forward proxy, as squid is one: it knows where every host is, and may want a user and password. */
export interface ForwardProxy {
  readonly port: number;
  /** What it was asked to do, in turn. */
  readonly requests: readonly { readonly line: string; readonly headers: IncomingHttpHeaders }[];
  close(): void;
}

/** @param ports of hosts on this machine, `{ 'drops.example:443': 40001 }`; others: 502 @param credentials `user:password` */
export async function startForwardProxy(
  ports: Readonly<Record<string, number>>,
  credentials: string | null,
): Promise<ForwardProxy> {
  const requests: ForwardProxy['requests'][number][] = [];
  const sockets = new Set<Socket>();
  const wanted = credentials === null ? null : `Basic ${Buffer.from(credentials).toString('base64')}`;
  const refusal = (headers: IncomingHttpHeaders, host: string) => {
    if (wanted !== null && headers['proxy-authorization'] !== wanted) return 407;
    return ports[host] === undefined ? 502 : null;
  };

  const server: Server = createServer((req, res) => {
    const { method, url = '', headers } = req;
    requests.push({ line: `${method} ${url}`, headers });
    const target = URL.canParse(url) ? new URL(url) : null;
    const host = target === null ? '' : `${target.hostname}:${target.port || 80}`;
    const status = refusal(headers, host);
    if (target === null || status !== null) return void res.writeHead(status ?? 400).end('from the proxy');
    const { 'proxy-authorization': _, ...passed } = headers;
    const path = target.pathname + target.search;
    req.pipe(
      request({ host: '127.0.0.1', port: ports[host], method, path, headers: passed }, (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
      }),
    );
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', ({ url = '', headers }, socket: Socket) => {
    requests.push({ line: `CONNECT ${url}`, headers });
    const status = refusal(headers, url);
    if (status !== null) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const upstream = connect(ports[url] ?? 0, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    sockets.add(upstream);
    for (const end of [socket, upstream])
      end.on('error', () => undefined).on('close', () => upstream.destroy());
  });
  return {
    port: await listen(server),
    requests,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

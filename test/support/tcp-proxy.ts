import { createConnection, createServer, type Socket } from 'node:net';
import { listen } from './listen.ts';

export interface TcpProxy {
  readonly port: number;
  /** Those that are open, on both sides. */
  readonly sockets: ReadonlySet<Socket>;
  /** The URL with the proxy's host and port instead of the server's. */
  throughProxy(url: string): string;
  close(): Promise<void>;
}

/** @param url of the server, with host and port @param accept without `connect` nothing reaches the server */
export async function openTcpProxy(
  url: string,
  accept: (client: Socket, connect: () => Socket) => void,
): Promise<TcpProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();

  function track(socket: Socket): Socket {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined); // 'close' follows
    socket.on('close', () => sockets.delete(socket));
    return socket;
  }

  const connect = () => track(createConnection({ host: target.hostname, port: Number(target.port) }));
  const server = createServer((client) => accept(track(client), connect));
  const port = await listen(server);
  return {
    port,
    sockets,
    throughProxy(original) {
      const through = new URL(original);
      through.hostname = '127.0.0.1';
      through.port = String(port);
      return through.href;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

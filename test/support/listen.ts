import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** Lets the server listen on a free port of this machine. @returns the port */
export async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port; // proof: it listens on a port
}

export async function findDeadUrl(): Promise<string> {
  const server = createServer();
  const port = await listen(server);
  await once(server.close(), 'close');
  return `http://127.0.0.1:${port}`;
}

/** An HTTP server for the tests of the surrounding suite. */
export function useServer(answer: RequestListener): { readonly url: string } {
  const server = createServer(answer);
  let url = '';
  before(async () => {
    url = `http://127.0.0.1:${await listen(server)}`;
  });
  after(() => void server.close().closeAllConnections());
  return {
    get url() {
      return url;
    },
  };
}

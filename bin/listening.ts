import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Web } from '../api/server/start-web.ts';
import { atPort, type Config } from '../shared/config/config.ts';
import type { Services } from '../shared/open-services.ts';

interface OpenedServer {
  readonly server: Server;
  /** With the port that is had. */
  readonly config: Config;
  /** Listens where it does not yet, and answers. */
  startWeb(services: Services): Promise<Web>;
}

/**
 * Port 0 stands for any free one. That one is taken before anything else is opened, because the addresses that
 * the service hands out must name it; every other port is taken last, when all is ready to answer.
 */
export async function openServer(asked: Config): Promise<OpenedServer> {
  const { createWebServer, startWeb } = await import('../api/server/start-web.ts'); // a worker never loads it
  const server = createWebServer();
  return {
    server,
    config: asked.PORT === 0 ? await takeFreePort(server, asked) : asked,
    startWeb: (services) => startWeb(services, server),
  };
}

async function takeFreePort(server: Server, asked: Config): Promise<Config> {
  await once(server.listen(0, asked.HOST), 'listening');
  const { port } = server.address() as AddressInfo; // proof: it listens on a port, not on a pipe
  return atPort(asked, port);
}

/** What the system says about a port or address, as a sentence about the setting; anything else as it is. */
export function explainListening(error: unknown, { HOST, PORT }: Config): unknown {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return error;
  const explain = (sentence: string) => new Error(sentence, { cause: error });
  switch (`${error.code} ${error.syscall}`) {
    case 'EADDRINUSE listen':
      return explain(
        `port ${PORT} of ${HOST} is in use; stop what listens there, or set PORT (0 takes a free one)`,
      );
    case 'EACCES listen':
      return explain(`port ${PORT} may not be opened by this user; set PORT to 1024 or higher`);
    case 'EADDRNOTAVAIL listen':
    case 'ENOTFOUND getaddrinfo':
    case 'EAI_AGAIN getaddrinfo':
      return explain(`HOST is "${HOST}", which is no address of this machine`);
    default:
      return error;
  }
}

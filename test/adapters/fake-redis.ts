import { createServer, type Socket } from 'node:net';
import { listen } from '../support/listen.ts';

export interface FakeRedis {
  readonly url: string;
  connections(): number;
  /** Ends all connections; new ones are welcome. */
  cut(): void;
  close(): Promise<void>;
}

/** Answers as the test wants. @param answer to the command of that lower-case name, as it goes over the wire; undefined: OK */
export async function startFakeRedis(answer: (command: string) => string | undefined): Promise<FakeRedis> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined); // 'close' follows
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      // Each command is an array of texts: *2 $4 info $6 server. Commands of tests are not cut in two.
      for (const [, name = ''] of chunk.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) {
        socket.write(answer(name.toLowerCase()) ?? '+OK\r\n');
      }
    });
  });
  const port = await listen(server);
  function cut(): void {
    for (const socket of sockets) socket.destroy();
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    connections: () => connections,
    cut,
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** @param line one more, such as `role:slave` */
export function infoOf(version: string, line = ''): string {
  const text = `# Server\r\nredis_version:${version}\r\nloading:0\r\n${line}\r\n`;
  return `$${text.length}\r\n${text}\r\n`;
}

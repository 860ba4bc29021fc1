import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Ports of 127.0.0.1 that nothing listens on. They lie below those that systems give to outgoing connections and to
 * port 0, so that only another search like this one could take one before its server does.
 */
export async function findFreePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

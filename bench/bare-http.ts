import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One answer, to be given at its path. */
export interface BareAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly base64: string;
}

// The yardstick: the least that node:http can do to send these bytes. No look-up, no checks, four headers.
const [file = ''] = process.argv.slice(2);
const answers = JSON.parse(readFileSync(file, 'utf8')) as Record<string, BareAnswer>; // proof: bench/rivals.ts wrote it
const bodies = new Map(
  Object.entries(answers).map(([path, { headers, base64 }]) => [
    path,
    { headers, bytes: Buffer.from(base64, 'base64') },
  ]),
);
const server = createServer((req, res) => {
  const answer = bodies.get(req.url ?? '');
  if (answer === undefined) {
    res.writeHead(404).end();
    return;
  }
  res.writeHead(200, answer.headers);
  res.end(answer.bytes);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // proof: it listens on a port
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
process.once('SIGTERM', () => process.exit());

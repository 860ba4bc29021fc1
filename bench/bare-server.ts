// The yardstick, in a process of its own: sends given bytes at given paths, without look-ups or checks.
// usage: bare-server.js http|express FILE
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';

/** What FILE holds: an answer for each `METHOD /path`. */
export type BareAnswers = Readonly<Record<string, BareAnswer>>;

interface BareAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Express parses the request's body and serializes this one; node:http sends its JSON as it is. */
  readonly json?: object;
  readonly base64?: string;
}

const [kind, file = ''] = process.argv.slice(2);
const answers = JSON.parse(readFileSync(file, 'utf8')) as BareAnswers; // only bench/ writes this file
const bodies = new Map(Object.entries(answers).map(([key, answer]) => [key, withBytes(answer)]));

const server = kind === 'express' ? createServer(expressApp()) : bareServer();
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // it listens on a port
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
process.once('SIGTERM', () => process.exit());

function withBytes(answer: BareAnswer) {
  const { json, base64 } = answer;
  return { ...answer, bytes: json ? Buffer.from(JSON.stringify(json)) : Buffer.from(base64 ?? '', 'base64') };
}

function bareServer(): Server {
  return createServer((req, res) => {
    const answer = bodies.get(`${req.method} ${req.url}`);
    res.writeHead(answer?.status ?? 404, answer?.headers).end(answer?.bytes);
  });
}

/** No ETag: it would cost a hash of each answer. */
function expressApp(): express.Express {
  const app = express();
  app.disable('etag');
  for (const [key, { status, headers, json, bytes }] of bodies) {
    const [method, path = ''] = key.split(' ');
    const send: express.Handler = (_req, res) => {
      res.status(status).set(headers);
      if (json) res.json(json);
      else res.send(bytes);
    };
    if (method === 'POST') app.post(path, express.json({ limit: '16mb' }), send);
    else app.get(path, send);
  }
  return app;
}

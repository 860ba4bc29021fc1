// The yardstick, in a process of its own: sends given bytes at given paths, without look-ups or checks; `rows` stores the
// document of each POST /api/drops in a new database FILE, as one durable row.
// usage: bare-server.js http|express|rows FILE
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from '@photostructure/sqlite';
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
const server = kind === 'rows' ? createServer(rowsApp(file)) : answeringServer();
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // it listens on a port
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
process.once('SIGTERM', () => process.exit());

function answeringServer(): Server {
  const answers = JSON.parse(readFileSync(file, 'utf8')) as BareAnswers; // only bench/ writes this file
  const bodies = new Map(Object.entries(answers).map(([key, answer]) => [key, withBytes(answer)]));
  return kind === 'express' ? createServer(expressApp(bodies)) : bareServer(bodies);
}

type Bodies = ReadonlyMap<string, ReturnType<typeof withBytes>>;

function withBytes(answer: BareAnswer) {
  const { json, base64 } = answer;
  return { ...answer, bytes: json ? Buffer.from(JSON.stringify(json)) : Buffer.from(base64 ?? '', 'base64') };
}

function bareServer(bodies: Bodies): Server {
  return createServer((req, res) => {
    const answer = bodies.get(`${req.method} ${req.url}`);
    res.writeHead(answer?.status ?? 404, answer?.headers).end(answer?.bytes);
  });
}

/** No ETag: it would cost a hash of each answer. */
function expressApp(bodies: Bodies): express.Express {
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

/** The requests of one turn of the event loop share a transaction. They are answered when it is on the disk. */
function rowsApp(path: string): express.Express {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  db.exec('CREATE TABLE documents (id INTEGER PRIMARY KEY, title TEXT, html BLOB)');
  const insert = db.prepare('INSERT INTO documents (title, html) VALUES (?, ?)');
  let waiting: { title: string; html: string; res: express.Response }[] = [];
  const commit = () => {
    const group = waiting;
    waiting = [];
    db.exec('BEGIN');
    for (const { title, html } of group) insert.run(title, Buffer.from(html));
    db.exec('COMMIT');
    for (const { title, res } of group) res.status(201).json({ title });
  };
  const app = express();
  app.disable('etag');
  app.post('/api/drops', express.json({ limit: '16mb' }), ({ body }, res) => {
    if (waiting.push({ ...body, res }) === 1) setImmediate(commit);
  });
  return app;
}

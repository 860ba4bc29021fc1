import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import express from 'express';

/** Answers that the service has given, to be given again by Express alone. */
export interface BareAnswers {
  /** Base64 of the raw page as it was served. */
  readonly page: string;
  readonly drop: object;
  readonly list: object;
}

// The yardstick: the least that an Express 5 app can do to send the same bytes. No look-up, no checks, and no
// ETag either, which would cost it a hash for each answer.
const [file = ''] = process.argv.slice(2);
const answers = JSON.parse(readFileSync(file, 'utf8')) as BareAnswers; // proof: bench/http.ts has written it
const page = Buffer.from(answers.page, 'base64');
const app = express();
app.disable('etag');
app.get('/p/:slug/raw', (_req, res) => {
  res.type('html').send(page);
});
app.get('/api/drops', (_req, res) => {
  res.json(answers.list);
});
app.get('/api/drops/:slug', (_req, res) => {
  res.json(answers.drop);
});
app.post('/api/drops', express.json({ limit: '16mb' }), (_req, res) => {
  res.status(201).json(answers.drop);
});
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // proof: it listens on a port
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
process.once('SIGTERM', () => process.exit());

import type { IncomingMessage, RequestListener } from 'node:http';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { Queue } from 'bullmq';
import type { Redis } from '../redis/connection.ts';

/** The page names fonts of another server: they are not loaded, so that no third party learns who operates the service. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export interface JobBoardOptions {
  /** Where it is mounted, such as `/queues`. */
  readonly path: string;
  /** Whether it can retry, remove and add jobs, and pause the queue. */
  readonly isWritable: boolean;
}

/** Bull Board: web pages that show the queue, its jobs and its schedules to operators. */
export function createJobBoard(redis: Redis, queue: Queue, options: JobBoardOptions): RequestListener {
  const { path, isWritable } = options;
  const adapter = new ExpressAdapter().setBasePath(path);
  createBullBoard({
    queues: [new BullMQAdapter(queue, { readOnlyMode: !isWritable, displayName: 'Jobs' })],
    serverAdapter: adapter,
    options: { uiConfig: { boardTitle: 'Dropleaf' } },
  });
  const board = adapter.getRouter().disable('x-powered-by') as RequestListener; // proof: an Express application

  return (req, res) => {
    res.setHeader('Content-Security-Policy', contentSecurityPolicy);
    res.setHeader('Referrer-Policy', 'no-referrer');
    const refused = redis.isUp()
      ? findRefusal(req, options)
      : { status: 503, reason: 'Redis is unavailable' };
    if (refused === null) {
      const rest = (req.url ?? '').slice(path.length);
      req.url = rest.startsWith('/') ? rest : `/${rest}`;
      board(req, res);
    } else {
      res
        .writeHead(refused.status, { 'Content-Type': 'text/plain; charset=utf-8' })
        .end(`${refused.reason}\n`);
    }
  };
}

/** Keeps out other websites in the operator's browser, which could send forms; see also metrics/prometheus-server.ts. */
function findRefusal(
  { method = '', headers }: IncomingMessage,
  { isWritable }: JobBoardOptions,
): { status: number; reason: string } | null {
  if (method === 'GET' || method === 'HEAD') return null;
  if (!isWritable) return { status: 405, reason: 'Read-only: set QUEUES_WRITABLE to change jobs' };
  const { 'sec-fetch-site': site, origin } = headers;
  const isFromHere = site === undefined ? origin === `http://${headers.host}` : site === 'same-origin';
  return isFromHere ? null : { status: 403, reason: 'Only pages of this address may change jobs' };
}

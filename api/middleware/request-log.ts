import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../shared/ports/log.ts';

/**
 * Gives the request an id, answers it in `X-Request-Id`, and writes one line when the exchange is over. The line
 * holds no query (it may hold codes, poll tokens and grants), no header and no body.
 * @param sample the share of lines to write for what went well; errors are always written
 * @param describe what more there is to say once the exchange is over
 */
export function logRequest(
  req: IncomingMessage,
  res: ServerResponse,
  log: Log,
  { sample = 1, describe = () => ({}) }: { sample?: number; describe?: () => object } = {},
): void {
  const startedAt = performance.now();
  const id = randomUUID();
  res.setHeader('X-Request-Id', id);
  res.once('close', () => {
    const failed = res.statusCode >= 400 || !res.writableFinished;
    if (!failed && sample < 1 && Math.random() >= sample) return;
    const fields = {
      id,
      method: req.method,
      path: pathOf(req),
      status: res.statusCode,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      from: req.socket.remoteAddress,
      ...describe(),
      ...(res.writableFinished ? {} : { aborted: true }),
    };
    log.info(fields, 'request');
  });
}

/** The path without its query, cut to a sane length. */
export function pathOf(req: IncomingMessage): string {
  return (req.url ?? '').split('?', 1)[0]?.slice(0, 200) ?? '';
}

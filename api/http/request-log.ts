import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../shared/ports/log.ts';

/** Gives the request an id, by which its log lines are found, and answers it in `X-Request-Id`. */
export function giveId(res: ServerResponse): void {
  res.setHeader('X-Request-Id', randomUUID());
}

/**
 * Writes one line when the exchange is over. It holds no query (it may hold codes, poll tokens and grants), no header
 * and no body.
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
  res.on('close', () => {
    const failed = res.statusCode >= 400 || !res.writableFinished;
    if (!failed && sample < 1 && Math.random() >= sample) return;
    const id = res.getHeader('X-Request-Id');
    const fields = {
      ...(id !== undefined && { id }),
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

/**
 * The path without its query, cut to a sane length. Runs that are longer than any slug of ours are not repeated: a
 * client may have put its token or its poll token there.
 */
export function pathOf(req: IncomingMessage): string {
  const [path = ''] = (req.url ?? '').split('?', 1);
  return path.replace(/(?:dl_|[\w%-]{24})[\w%.-]*/g, '***').slice(0, 200);
}

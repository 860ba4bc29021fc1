import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../shared/ports/log.ts';

/** Sets `X-Request-Id` to a new id. The log lines of the request have the same id. */
export function setRequestId(res: ServerResponse): void {
  res.setHeader('X-Request-Id', randomUUID());
}

/**
 * Logs one line when the response is closed. It contains no query, which may have codes, poll tokens or grants, no headers
 * and no body.
 * @param success at which level a request that succeeds is logged; null: not at all
 * @param describe more fields, read when the response is closed
 */
export function logRequest(
  req: IncomingMessage,
  res: ServerResponse,
  log: Log,
  {
    success = 'info',
    describe = () => ({}),
  }: { success?: 'debug' | 'info' | null; describe?: () => object } = {},
): void {
  const startedAt = performance.now();
  res.on('close', () => {
    const failed = res.statusCode >= 400 || !res.writableFinished;
    const level = failed ? 'info' : success;
    if (level === null) return;
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
    log[level](fields, 'request');
  });
}

/**
 * The path for the log: without query, at most 200 characters. `***` replaces `dl_…` and every run of 24 or more
 * characters, because a client may have put a token there.
 */
export function pathOf(req: IncomingMessage): string {
  const [path = ''] = (req.url ?? '').split('?', 1);
  return path.replace(/(?:dl_|[\w%-]{24})[\w%.-]*/g, '***').slice(0, 200);
}

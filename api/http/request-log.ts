import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../shared/log/log.ts';

/** The log lines of the request have the same id. */
export function setRequestId(res: ServerResponse): void {
  res.setHeader('X-Request-Id', randomUUID());
}

interface LogOptions {
  /** At which level a request that succeeds is logged; null: not at all. */
  readonly success?: 'debug' | 'info' | null;
  /** null: an answer below 500 that is no success, or is not read to its end, is not logged. */
  readonly refusal?: 'info' | null;
  /** More fields, read when the response is closed. */
  readonly describe?: () => object;
  /** `bytesWritten` of the socket before the answer; unset: as it is now. */
  readonly bytesBefore?: number;
}

/** Logs one line when the response is closed: no query, which may have codes, poll tokens or grants, no headers, no body. */
export function logRequest(
  req: IncomingMessage,
  res: ServerResponse,
  log: Log,
  { success = 'info', refusal = 'info', describe, bytesBefore = req.socket.bytesWritten }: LogOptions = {},
): void {
  const startedAt = performance.now();
  res.on('close', () => {
    const level = levelOf(res, success, refusal);
    if (level === null) return;
    const id = res.getHeader('X-Request-Id');
    const path = pathOf(req);
    const slug = slugOf(path) ?? slugOf(res.getHeader('Location'));
    const fields = {
      ...(id !== undefined && { id }),
      method: req.method,
      path,
      ...(slug !== null && { slug }),
      ...(res.headersSent && { status: res.statusCode }),
      bytes: req.socket.bytesWritten - bytesBefore,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      from: req.socket.remoteAddress,
      ...describe?.(),
      ...(res.writableFinished ? {} : { aborted: true }),
    };
    log[level](fields, 'request');
  });
}

/** A 5xx, and a client that left before its answer began, are always logged. */
function levelOf(res: ServerResponse, success: LogOptions['success'], refusal: LogOptions['refusal']) {
  if (res.statusCode >= 500 || !res.headersSent) return 'info';
  const isSuccess = res.statusCode < 400 && res.writableFinished;
  return (isSuccess ? success : refusal) ?? null;
}

/** The slug in the path of a drop. */
function slugOf(path: unknown): string | null {
  return (
    (typeof path === 'string' &&
      /^\/(?:p|api\/drops|drops(?!\/(?:new|delete)$))\/([\w-]{1,64})/.exec(path)?.[1]) ||
    null
  );
}

/** The path for the log: at most 200 characters without query; `***` for `dl_…` and runs of 24, which may be tokens. */
export function pathOf(req: IncomingMessage): string {
  const [path = ''] = (req.url ?? '').split('?', 1);
  return path.replace(/[\w%.-]+/g, withoutSecret).slice(0, 200);
}

function withoutSecret(word: string): string {
  const start = word.search(/dl_|[\w%-]{24}/);
  return start < 0 ? word : `${word.slice(0, start)}***`;
}

import { pino } from 'pino';
import type { Config } from '../shared/config/config.ts';
import type { Log } from '../shared/ports/log.ts';
import { waitAtMost } from '../shared/util/wait-at-most.ts';

/** Nobody may be reading any more. */
const flushWithinMs = 1_000;

export interface ProcessLog extends Log {
  /** All that was logged is written when it resolves, or nobody takes it. */
  flush(): Promise<void>;
}

/**
 * One JSON object a line, on stderr: written a few at a time and at the latest after 200 ms, since a write for each
 * line costs a busy service a quarter of its requests. What is left when the process exits is written then,
 * but may come before what was just being written: whoever ends the process flushes first.
 * Of errors only what tells where and why is kept: their other fields may hold what somebody sent.
 */
export function createLog(level: Config['LOG_LEVEL']): ProcessLog {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    pino.destination({ fd: process.stderr.fd, sync: false, minLength: 4096, periodicFlush: 200 }),
  );
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    // That a pipe cannot be synced is told as an error, when all is written.
    flush: () => waitAtMost(flushWithinMs, new Promise((resolve) => logger.flush(resolve))),
  };
}

interface ErrorLine {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: unknown;
  readonly cause?: ErrorLine;
}

function describeError(error: unknown): ErrorLine {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  return {
    type: error.name,
    message: error.message,
    ...(error.stack ? { stack: error.stack } : {}),
    ...('code' in error ? { code: error.code } : {}),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}

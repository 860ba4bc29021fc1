import { pino } from 'pino';
import type { Config } from '../shared/config.ts';
import type { Log } from '../shared/ports/log.ts';

/**
 * One JSON object a line, on stderr: written a few at a time and at the latest after 200 ms, since a write for each
 * line costs a busy service a quarter of its requests. What is left when the process exits is written then.
 * Of errors only what tells where and why is kept: their other fields may hold what somebody sent.
 */
export function createLog(level: Config['LOG_LEVEL']): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    pino.destination({ fd: process.stderr.fd, sync: false, minLength: 4096, periodicFlush: 200 }),
  );
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

import { pino } from 'pino';
import type { Config } from '../shared/config/config.ts';
import type { Log } from '../shared/log/log.ts';
import { throttleFailures } from '../shared/log/throttled-log.ts';
import { waitAtMost } from '../shared/util/promises.ts';
import type { ProcessIo } from './process-io.ts';

/** How often the log looks for counts of failures to write. */
const reportEveryMs = 5_000;
/** The reader of stderr may be gone. */
const flushTimeoutMs = 1_000;

export interface ProcessLog extends Log {
  /** Resolves when every line is written, or after a second. */
  flush(): Promise<void>;
}

/**
 * JSON lines, written every 200 ms, because each alone costs throughput (docs/performance.md). Only known fields of errors: no user data.
 */
export function createLog(level: Config['LOG_LEVEL'], stderr: ProcessIo['stderr']): ProcessLog {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    stderr.fd === undefined
      ? { write: (line: string) => void stderr.write(line) }
      : openDestination(stderr.fd),
  );
  const lines: Log = {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
  const throttled = throttleFailures(lines, () => performance.now());
  const timer = setInterval(throttled.report, reportEveryMs).unref();
  return {
    ...throttled,
    flush() {
      clearInterval(timer);
      throttled.report({ all: true });
      // pino reports an error for a pipe, which cannot be synced, after it has written every line.
      return waitAtMost(flushTimeoutMs, new Promise((resolve) => logger.flush(resolve)));
    },
  };
}

/** Lines that wait while the disk of stderr is full; later ones are dropped. */
const maxWaitingBytes = 4 * 1024 * 1024;

/** A disk that is full of logs must not stop the service: nothing can be said of it there, and later lines are tried again. */
function openDestination(fd: number) {
  const destination = pino.destination({
    fd,
    sync: false,
    minLength: 32_768,
    maxWrite: 65_536,
    maxLength: maxWaitingBytes,
    periodicFlush: 200,
  });
  destination.on('error', () => {
    destination.flushSync = () => undefined; // at the exit it would repeat a write to a full disk for ever
  });
  return destination;
}

function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  return {
    type: error.name,
    message: error.message,
    ...(error.stack ? { stack: error.stack } : {}),
    ...('code' in error ? { code: error.code } : {}),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}

import type { Log } from '../shared/log/log.ts';
import type { ProcessIo } from './process-io.ts';

/** Ctrl+C reaches the service from the terminal and again from npm: signals within this time count as one. */
const sameRequestMs = 500;

/** A running part of the service. */
export interface Part {
  /** Finishes what it can within `graceMs` and cancels the rest. */
  stop(graceMs: number): Promise<void>;
}

/**
 * @returns at SIGTERM, SIGINT, SIGHUP or an unhandled error, the exit code. Another signal, or `seconds`, then exits with 1.
 */
export function watchForStop(io: ProcessIo, seconds: number, log: Log): Promise<number> {
  return new Promise((resolve) => {
    const stop = (exitCode: number) => {
      exitAfter(io, seconds, log).unref();
      resolve(exitCode);
    };
    let firstAt: number | null = null;
    const onSignal = (signal: NodeJS.Signals) => {
      if (firstAt === null) {
        firstAt = performance.now();
        log.info({ signal }, 'stopping');
        stop(0);
      } else if (performance.now() - firstAt > sameRequestMs) io.exit(1);
    };
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) io.on(signal, onSignal);
    // Unhandled rejections arrive here, too.
    io.on('uncaughtException', (err, origin) => {
      log.error({ err, origin }, 'stopping after an unhandled error');
      stop(1);
    });
  });
}

/**
 * In reverse order, each within half of the remaining time; exits with 1 after `seconds`. @returns whether all stopped well
 */
export async function stopAll(
  io: Pick<ProcessIo, 'exit'>,
  parts: readonly Part[],
  seconds: number,
  log: Log,
): Promise<boolean> {
  const deadline = performance.now() + seconds * 1000;
  const timer = exitAfter(io, seconds, log);
  let clean = true;
  for (const part of parts.toReversed()) {
    try {
      await part.stop((deadline - performance.now()) / 2);
    } catch (err) {
      log.error({ err }, 'a part of the service failed to stop');
      clean = false;
    }
  }
  clearTimeout(timer);
  return clean;
}

function exitAfter(io: Pick<ProcessIo, 'exit'>, seconds: number, log: Log): NodeJS.Timeout {
  return setTimeout(() => {
    log.error({ seconds }, 'stopping took longer than SHUTDOWN_SECONDS');
    io.exit(1);
  }, seconds * 1000);
}

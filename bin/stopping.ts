import type { Log } from '../shared/ports/log.ts';

/** A terminal and npm both pass one Ctrl+C on: what arrives within this time is the same request. */
const sameRequestMs = 500;

/** Something that runs until it is stopped. */
export interface Part {
  /** What is not finished after `graceMs` is cut. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Waits for a reason to stop: SIGTERM, SIGINT, SIGHUP, or an error that nothing handled. A second signal ends the
 * process at once, and so does the time, whatever it does then: start, stop, or not end though all is stopped.
 * @param seconds how long the stop may take
 * @returns the exit code that the stop should end with
 */
export function watchForStop(seconds: number, log: Log): Promise<number> {
  return new Promise((resolve) => {
    const stop = (exitCode: number) => {
      endAfter(seconds, log).unref();
      resolve(exitCode);
    };
    let firstAt: number | null = null;
    const onSignal = (signal: NodeJS.Signals) => {
      if (firstAt === null) {
        firstAt = performance.now();
        log.info({ signal }, 'stopping');
        stop(0);
      } else if (performance.now() - firstAt > sameRequestMs) process.exit(1);
    };
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
    // Rejections that nothing handles arrive here too.
    process.on('uncaughtException', (err, origin) => {
      log.error({ err, origin }, 'nothing handled this error; stopping');
      stop(1);
    });
  });
}

/**
 * Stops the parts in the reverse of the order in which they were started. Each may take half of the time that is
 * left, so that a slow one leaves time to those after it. When all time is over, the process ends with 1.
 * @returns whether every part stopped without an error
 */
export async function stopAll(parts: readonly Part[], seconds: number, log: Log): Promise<boolean> {
  const deadline = performance.now() + seconds * 1000;
  const force = endAfter(seconds, log);
  let clean = true;
  for (const part of parts.toReversed()) {
    try {
      await part.stop((deadline - performance.now()) / 2);
    } catch (err) {
      log.error({ err }, 'a part could not be stopped in order');
      clean = false;
    }
  }
  clearTimeout(force);
  return clean;
}

function endAfter(seconds: number, log: Log): NodeJS.Timeout {
  return setTimeout(() => {
    log.error({ seconds }, 'the stop took too long');
    process.exit(1);
  }, seconds * 1000);
}

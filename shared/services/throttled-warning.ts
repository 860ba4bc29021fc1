import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';

const onceInMs = 60_000;

/**
 * Returns a function that logs a warning: at once at the first call, then at most once a minute. `count` in the line is
 * the number of calls since the line before. For failures that may happen a thousand times a second, such as those of
 * a database that is down.
 */
export function createThrottledWarning(
  { clock, log }: { clock: Clock; log: Log },
  message: string,
): (fields: object) => void {
  let warnedAt = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (fields) => {
    count += 1;
    const now = clock.now();
    if (Math.abs(now - warnedAt) < onceInMs) return; // a clock that is set back must not silence it
    log.warn({ ...fields, count }, message);
    warnedAt = now;
    count = 0;
  };
}

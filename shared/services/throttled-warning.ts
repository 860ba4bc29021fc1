import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';

const onceInMs = 60_000;

/**
 * Warns of what may go wrong a thousand times a second while a part is away: the first time at once, then once a
 * minute at most, with the `count` of times since the line before.
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

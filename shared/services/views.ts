import { randomUUID } from 'node:crypto';
import { dayOf } from '../domain/windows.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { ViewCount, ViewCounter } from '../ports/view-counter.ts';
import { waitAtMost } from '../util/wait-at-most.ts';
import { createThrottledWarning } from './throttled-warning.ts';

const flushEveryMs = 1_000;
/** Of the last flush: a counter that is away takes a second or less to say so for each of three calls at most. */
const closeWithinMs = 3_500;

export type Views = ReturnType<typeof createViews>;

/**
 * Gathers views in this process and hands them on each second, each flush under a number of its own, so that one
 * repeated after an unknown outcome is not counted twice. A killed process loses its last second at most. While the
 * counter is away they are kept as one sum for each drop and day, however often it is viewed.
 */
export function createViews({ counter, clock, log }: { counter: ViewCounter; clock: Clock; log: Log }) {
  const writer = randomUUID();
  const warnOfDelay = createThrottledWarning({ clock, log }, 'views could not be handed on; kept for later');
  let gathered = new Map<string, ViewCount>();
  let unconfirmed: { number: number; counts: ViewCount[] } | null = null;
  let lastNumber = 0;
  let flushing: Promise<void> | null = null;

  async function flushAll(): Promise<void> {
    // First what an earlier flush could not confirm, under its old number; then what came since.
    while (unconfirmed !== null || gathered.size > 0) {
      if (unconfirmed === null) {
        lastNumber += 1;
        unconfirmed = { number: lastNumber, counts: [...gathered.values()] };
        gathered = new Map();
      }
      await counter.add(writer, unconfirmed.number, unconfirmed.counts, clock.now());
      unconfirmed = null;
    }
  }

  /** What was gathered until now is counted when this returns. @throws when the counter is away: nothing is lost */
  async function flush(): Promise<void> {
    while (flushing !== null) await flushing.catch(() => undefined); // its own caller is told
    flushing = flushAll();
    try {
      await flushing;
    } finally {
      flushing = null;
    }
  }

  const timer = setInterval(() => {
    if (flushing !== null) return; // slow: the next second will do
    flush().catch((err: unknown) => warnOfDelay({ err }));
  }, flushEveryMs);
  timer.unref();

  return {
    count(dropId: string): void {
      const day = dayOf(clock.now()).id;
      const key = `${dropId}/${day}`;
      gathered.set(key, { dropId, day, count: (gathered.get(key)?.count ?? 0) + 1 });
    },

    flush,

    /** The last flush, for a few seconds at most. What it could not confirm is lost, and the log says how much. */
    async close(): Promise<void> {
      clearInterval(timer);
      let err: unknown;
      await waitAtMost(closeWithinMs, flush()).catch((error: unknown) => {
        err = error;
      });
      const views = sumOf(gathered.values()) + sumOf(unconfirmed?.counts ?? []);
      if (views === 0) return;
      const fields = { views, ...(err === undefined ? {} : { err }) };
      log.error(fields, 'views were lost: their counter did not confirm them at the stop');
    },
  };
}

function sumOf(counts: Iterable<ViewCount>): number {
  let sum = 0;
  for (const { count } of counts) sum += count;
  return sum;
}

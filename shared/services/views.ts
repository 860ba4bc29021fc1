import { randomUUID } from 'node:crypto';
import { dayOf } from '../domain/windows.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { ViewCount, ViewCounter } from '../ports/view-counter.ts';

const flushEveryMs = 1_000;

export type Views = ReturnType<typeof createViews>;

/**
 * Gathers views in this process and hands them on each second, each flush under a number of its own, so that one
 * repeated after an unknown outcome is not counted twice. A killed process loses its last second at most.
 */
export function createViews({ counter, clock, log }: { counter: ViewCounter; clock: Clock; log: Log }) {
  const writer = randomUUID();
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
    flush().catch((error: unknown) =>
      log.warn({ err: error }, 'views could not be handed on; kept for later'),
    );
  }, flushEveryMs);
  timer.unref();

  return {
    count(dropId: string): void {
      const day = dayOf(clock.now()).id;
      const key = `${dropId}/${day}`;
      gathered.set(key, { dropId, day, count: (gathered.get(key)?.count ?? 0) + 1 });
    },

    flush,

    /** The last flush. */
    async close(): Promise<void> {
      clearInterval(timer);
      await flush();
    },
  };
}

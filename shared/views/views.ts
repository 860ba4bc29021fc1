import { randomUUID } from 'node:crypto';
import type { Clock } from '../domain/clock.ts';
import { dayOf } from '../domain/time-windows.ts';
import type { Log } from '../log/log.ts';
import { waitAtMost } from '../util/promises.ts';
import type { ViewCount, ViewStore } from './view-store.ts';

const flushEveryMs = 1_000;
/** A call blocks SQLite or Redis for some milliseconds. */
const countsPerCall = 500;
/** While the store is down, the flush under way and the last flush fail after up to 1 s each. */
const closeWithinMs = 2_500;

/** Records views each second, numbered so that a repeated call counts once. A killed process loses those not yet recorded. */
export function createViews({
  store,
  clock,
  log,
}: {
  store: Pick<ViewStore, 'add'>;
  clock: Clock;
  log: Log;
}) {
  const writer = randomUUID();
  /** By `<drop id>/<day>`. */
  let counted = new Map<string, ViewCount>();
  /** One entry for each call of the store; the first may have been sent already. */
  const unconfirmed: { flush: number; counts: ViewCount[] }[] = [];
  let lastFlush = 0;
  let flushing: Promise<void> | null = null;

  function listUnrecorded(): ViewCount[] {
    return [...counted.values(), ...unconfirmed.flatMap(({ counts }) => counts)];
  }

  async function sendUnconfirmed(): Promise<void> {
    for (const { flush, counts } of [...unconfirmed]) {
      await store.add(writer, flush, counts);
      unconfirmed.shift();
    }
  }

  async function flushAll(): Promise<void> {
    await sendUnconfirmed();
    const counts = [...counted.values()];
    counted = new Map();
    for (let from = 0; from < counts.length; from += countsPerCall)
      unconfirmed.push({ flush: ++lastFlush, counts: counts.slice(from, from + countsPerCall) });
    await sendUnconfirmed();
  }

  /** @throws if the store is down; the counts are kept */
  async function flush(): Promise<void> {
    while (flushing !== null) await flushing.catch(() => undefined); // its own caller gets the error
    flushing = flushAll();
    try {
      await flushing;
    } finally {
      flushing = null;
    }
  }

  const timer = setInterval(() => {
    if (flushing !== null) return;
    flush().catch((err: unknown) => log.warn({ err }, 'views could not be recorded; kept for later'));
  }, flushEveryMs);
  timer.unref();

  return {
    count(dropId: string): void {
      const day = dayOf(clock.now()).id;
      const key = `${dropId}/${day}`;
      counted.set(key, { dropId, day, count: (counted.get(key)?.count ?? 0) + 1 });
    },

    flush,

    /** How many views are not recorded yet. */
    unrecorded: (): number => sumOf(listUnrecorded()),

    /** Flushes for the last time; views that are not confirmed in time are lost and logged. */
    async close(): Promise<void> {
      clearInterval(timer);
      let err: unknown;
      await waitAtMost(closeWithinMs, flush()).catch((error: unknown) => {
        err = error;
      });
      const lost = listUnrecorded();
      if (lost.length === 0) return;
      const views = sumOf(lost);
      log.error(
        { views, ...(err === undefined ? {} : { cause: String(err) }) },
        'views were lost: they could not be recorded before the stop',
      );
    },
  };
}

function sumOf(counts: readonly ViewCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

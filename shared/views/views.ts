import { randomUUID } from 'node:crypto';
import type { Caller } from '../accounts/account.ts';
import type { Clock } from '../domain/clock.ts';
import { dayMs, dayOf } from '../domain/time-windows.ts';
import type { Drop } from '../drops/drop.ts';
import type { Drops } from '../drops/drops.ts';
import type { Log } from '../log/log.ts';
import { waitAtMost } from '../util/promises.ts';
import type { DayViews, ViewCount, ViewStore } from './view-store.ts';

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

/** Days of views are kept for two years. Drops keep their sums for ever. */
export const viewDaysKept = 731;

/** The largest number of days that can be read at once. */
export const maxViewDays = 365;

export type ViewStats = ReturnType<typeof createViewStats>;

/** What owners read of the views of their drops. */
export function createViewStats({
  drops,
  views,
  clock,
}: {
  drops: Pick<Drops, 'get'>;
  views: DayViews;
  clock: Clock;
}) {
  return {
    /**
     * All views of the drop, and those of each of the last UTC days up to today, oldest first, never more than the total.
     * @param days 1 to `maxViewDays` @throws DropError `not_found`
     */
    async read(caller: Caller, slug: string, days: number) {
      const dates = lastDays(clock.now(), days);
      const { id } = await drops.get(caller, slug);
      const counts = await views.listDays(id, dates[0]);
      const { viewCount } = await drops.get(caller, slug); // after the days, because views are added to the drop first
      return { viewCount, days: dates.map((date) => ({ date, views: counts.get(date) ?? 0 })) };
    },

    /** The views of each UTC day that has any, in order. @param drop of the caller */
    listDays: ({ id }: Pick<Drop, 'id'>): Promise<Map<string, number>> => views.listDays(id),

    /** The views of each of the last UTC days, oldest first, by id. @param drops of the caller */
    async readRecent(drops: readonly Pick<Drop, 'id'>[], days: number): Promise<Map<string, number[]>> {
      const dates = lastDays(clock.now(), days);
      const ids = drops.map(({ id }) => id);
      const found = await views.listDaysOfDrops(ids, dates);
      return new Map(ids.map((id) => [id, dates.map((date) => found.get(id)?.get(date) ?? 0)]));
    },
  };
}

/** The last UTC days up to today, oldest first. */
function lastDays(now: number, days: number): string[] {
  return Array.from({ length: days }, (_, i) => dayOf(now - (days - 1 - i) * dayMs).id);
}

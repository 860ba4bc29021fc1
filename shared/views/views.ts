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

interface ViewsDeps {
  readonly store: Pick<ViewStore, 'add'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Records views each second, numbered so that a repeated call counts once. A killed process loses those not yet recorded. */
export class Views {
  readonly #deps: ViewsDeps;
  readonly #writer = randomUUID();
  readonly #timer: NodeJS.Timeout;
  /** By `<drop id>/<day>`. */
  #counted = new Map<string, ViewCount>();
  /** One entry for each call of the store; the first may have been sent already. */
  readonly #unconfirmed: { flush: number; counts: ViewCount[] }[] = [];
  #lastFlush = 0;
  #flushing: Promise<void> | null = null;

  constructor(deps: ViewsDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => this.#flushOnTime(), flushEveryMs);
    this.#timer.unref();
  }

  count(dropId: string): void {
    const day = dayOf(this.#deps.clock.now()).id;
    const key = `${dropId}/${day}`;
    const before = this.#counted.get(key)?.count ?? 0;
    this.#counted.set(key, { dropId, day, count: before + 1 });
  }

  /** @throws if the store is down; the counts are kept */
  async flush(): Promise<void> {
    while (this.#flushing !== null) await this.#flushing.catch(() => undefined); // its own caller gets the error
    this.#flushing = this.#flushAll();
    try {
      await this.#flushing;
    } finally {
      this.#flushing = null;
    }
  }

  /** How many views are not recorded yet. */
  unrecorded(): number {
    return sumOf(this.#listUnrecorded());
  }

  /** Flushes for the last time; views that are not confirmed in time are lost and logged. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    let err: unknown;
    await waitAtMost(closeWithinMs, this.flush()).catch((error: unknown) => {
      err = error;
    });
    const views = this.unrecorded();
    if (views === 0) return;
    const cause = err === undefined ? {} : { cause: String(err) };
    this.#deps.log.error({ views, ...cause }, 'views were lost: they could not be recorded before the stop');
  }

  #flushOnTime(): void {
    if (this.#flushing !== null) return;
    this.flush().catch((err: unknown) =>
      this.#deps.log.warn({ err }, 'views could not be recorded; kept for later'),
    );
  }

  async #flushAll(): Promise<void> {
    await this.#sendUnconfirmed();
    const counts = [...this.#counted.values()];
    this.#counted = new Map();
    for (let from = 0; from < counts.length; from += countsPerCall) {
      this.#lastFlush += 1;
      this.#unconfirmed.push({ flush: this.#lastFlush, counts: counts.slice(from, from + countsPerCall) });
    }
    await this.#sendUnconfirmed();
  }

  async #sendUnconfirmed(): Promise<void> {
    for (const { flush, counts } of [...this.#unconfirmed]) {
      await this.#deps.store.add(this.#writer, flush, counts);
      this.#unconfirmed.shift();
    }
  }

  #listUnrecorded(): ViewCount[] {
    return [...this.#counted.values(), ...this.#unconfirmed.flatMap(({ counts }) => counts)];
  }
}

function sumOf(counts: readonly ViewCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

/** Days of views are kept for two years. Drops keep their sums for ever. */
export const viewDaysKept = 731;

/** The largest number of days that can be read at once. */
export const maxViewDays = 365;

interface ViewStatsDeps {
  readonly drops: Pick<Drops, 'get'>;
  readonly views: DayViews;
  readonly clock: Clock;
}

/** What owners read of the views of their drops. */
export class ViewStats {
  readonly #deps: ViewStatsDeps;

  constructor(deps: ViewStatsDeps) {
    this.#deps = deps;
  }

  /**
   * All views of the drop, and those of each of the last UTC days up to today, oldest first, never more than the total.
   * @param days 1 to `maxViewDays` @throws DropError `not_found`
   */
  async read(caller: Caller, slug: string, days: number) {
    const { drops, views, clock } = this.#deps;
    const dates = lastDays(clock.now(), days);
    const { id } = await drops.get(caller, slug);
    const counts = await views.listDays(id, dates[0]);
    const { viewCount } = await drops.get(caller, slug); // after the days, because views are added to the drop first
    return { viewCount, days: dates.map((date) => ({ date, views: counts.get(date) ?? 0 })) };
  }

  /** The views of each UTC day that has any, in order. @param drop of the caller */
  listDays({ id }: Pick<Drop, 'id'>): Promise<Map<string, number>> {
    return this.#deps.views.listDays(id);
  }

  /** The views of each of the last UTC days, oldest first, by id. @param drops of the caller */
  async readRecent(drops: readonly Pick<Drop, 'id'>[], days: number): Promise<Map<string, number[]>> {
    const dates = lastDays(this.#deps.clock.now(), days);
    const ids = drops.map(({ id }) => id);
    const found = await this.#deps.views.listDaysOfDrops(ids, dates);
    return new Map(ids.map((id) => [id, dates.map((date) => found.get(id)?.get(date) ?? 0)]));
  }
}

/** The last UTC days up to today, oldest first. */
function lastDays(now: number, days: number): string[] {
  return Array.from({ length: days }, (_, i) => dayOf(now - (days - 1 - i) * dayMs).id);
}

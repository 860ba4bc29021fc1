import type { Caller } from '../accounts/account.ts';
import type { Clock } from '../domain/clock.ts';
import { dayMs, dayOf } from '../domain/time-windows.ts';
import type { Drop } from '../drops/drop.ts';
import type { Drops } from '../drops/drops.ts';
import type { DayViews } from './view-store.ts';

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

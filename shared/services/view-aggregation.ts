import type { Clock } from '../ports/clock.ts';
import type { ViewBatch, ViewCount, ViewCounter } from '../ports/view-counter.ts';
import type { DropViews, ViewTotals } from '../ports/view-totals.ts';

/** How many batches one run moves at most. What is left waits for the next run, seconds later. */
const batchesPerRun = 100;

/** How many records are added to in one call. */
const countsPerCall = 500;

export type ViewAggregation = ReturnType<typeof createViewAggregation>;

/**
 * Moves counted views into drops and their days, each once. Every record remembers the number of the batch it
 * was last added to and refuses that number and lower ones, and a batch stays open until all of it is added; so
 * a run that dies at any step is repeated whole.
 */
export function createViewAggregation(deps: { views: ViewCounter; totals: ViewTotals; clock: Clock }) {
  const { views, totals, clock } = deps;
  /** The highest number that this process has seen: a counter that has lost all it knew must not give one again. */
  let lastNumber = 0;

  async function add({ number, counts }: ViewBatch): Promise<void> {
    for (const chunk of chunksOf(sumByDrop(counts))) await totals.addToDrops(number, chunk);
    for (const chunk of chunksOf(sumByDay(counts))) await totals.addToDays(number, chunk);
  }

  return {
    /** Moves what was counted until now. May be repeated at any time, and run twice at once. */
    async aggregate(): Promise<void> {
      for (let left = batchesPerRun; left > 0; left--) {
        const batch = await views.openBatch(Math.max(clock.now(), lastNumber + 1));
        if (batch === null) return;
        lastNumber = Math.max(lastNumber, batch.number);
        await add(batch);
        await views.closeBatch(batch.number);
      }
    },
  };
}

/** A drop is added to once in a batch, whatever the days: its second addition would be refused. */
function sumByDrop(counts: readonly ViewCount[]): DropViews[] {
  const dropsOnly = counts.map(({ dropId, count }) => ({ dropId, count }));
  return sum(dropsOnly, ({ dropId }) => dropId);
}

function sumByDay(counts: readonly ViewCount[]): ViewCount[] {
  return sum(counts, ({ dropId, day }) => `${dropId}/${day}`);
}

function sum<T extends DropViews>(counts: readonly T[], keyOf: (count: T) => string): T[] {
  const sums = new Map<string, T>();
  for (const count of counts) {
    const key = keyOf(count);
    sums.set(key, { ...count, count: count.count + (sums.get(key)?.count ?? 0) });
  }
  return [...sums.values()];
}

function* chunksOf<T>(items: readonly T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += countsPerCall)
    yield items.slice(from, from + countsPerCall);
}

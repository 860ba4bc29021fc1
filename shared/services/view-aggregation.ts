import type { Clock } from '../ports/clock.ts';
import type { DropUpkeep } from '../ports/drop-upkeep.ts';
import type { ViewBatch, ViewCount, ViewCounter } from '../ports/view-counter.ts';
import { inChunks } from './in-chunks.ts';

/** How many batches one run moves at most. What is left waits for the next run, seconds later. */
const batchesPerRun = 100;

/** How many records are added to at a time. */
const addsAtOnce = 100;

export type ViewAggregation = ReturnType<typeof createViewAggregation>;

/**
 * Moves counted views into drops and their days, each once. Every record remembers the number of the batch it
 * was last added to and refuses that number and lower ones, and a batch stays open until all of it is added; so
 * a run that dies at any step is repeated whole.
 */
export function createViewAggregation(deps: { views: ViewCounter; drops: DropUpkeep; clock: Clock }) {
  const { views, drops, clock } = deps;

  async function add(batch: ViewBatch): Promise<void> {
    await inChunks(sumByDrop(batch.counts), addsAtOnce, ({ dropId, count }) =>
      drops.addViews(dropId, batch.number, count),
    );
    await inChunks(sumByDay(batch.counts), addsAtOnce, ({ dropId, day, count }) =>
      drops.addDayViews(dropId, day, batch.number, count),
    );
  }

  return {
    /** Moves what was counted until now. May be repeated at any time, and run twice at once. */
    async aggregate(): Promise<void> {
      for (let left = batchesPerRun; left > 0; left--) {
        const batch = await views.openBatch(clock.now());
        if (batch === null) return;
        await add(batch);
        await views.closeBatch(batch.number);
      }
    },
  };
}

/** A drop is added to once in a batch, whatever the days: its second addition would be refused. */
function sumByDrop(counts: readonly ViewCount[]): ViewCount[] {
  return sum(counts, (count) => count.dropId);
}

function sumByDay(counts: readonly ViewCount[]): ViewCount[] {
  return sum(counts, (count) => `${count.dropId}/${count.day}`);
}

function sum(counts: readonly ViewCount[], keyOf: (count: ViewCount) => string): ViewCount[] {
  const sums = new Map<string, ViewCount>();
  for (const count of counts) {
    const key = keyOf(count);
    sums.set(key, { ...count, count: count.count + (sums.get(key)?.count ?? 0) });
  }
  return [...sums.values()];
}
